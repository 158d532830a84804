//! `check_room`, compared with the result of adding the items.

use bloom::{AddError, Settings, SettingsError, SizeError};

/// Small filters have more false positives, so some items would count as already added.
const NEVER: f64 = 1e-9;

#[test]
fn as_many_items_as_are_said_find_room() {
    let settings = [
        Settings::new(10, NEVER),
        Settings::new(1, NEVER).expansion(1),
        Settings::new(7, NEVER).expansion(5),
        Settings::new(25, NEVER).non_scaling(),
    ];
    for settings in settings {
        for max_bytes in [7, 8, 100, 1000, 5000] {
            let settings = settings.max_bytes(max_bytes);
            let Ok(mut filter) = settings.build() else {
                assert_eq!(settings.check_room(0), Err(settings.build().unwrap_err()));
                continue;
            };
            let mut items = (0..).map(|item: u64| item.to_le_bytes());
            while filter.len() < 300 && filter.check_room(1, max_bytes).is_ok() {
                filter.add(&items.next().unwrap()).unwrap();
            }
            let taken = filter.len();
            let refused =
                items.map(|item| filter.add(&item)).find(|added| *added != Ok(false)).unwrap();
            assert_eq!(refused.is_err(), taken < 300, "{settings:?}");
            if refused.is_err() {
                assert_eq!(filter.check_room(1, max_bytes).map(|()| true), refused);
                assert_eq!(filter.check_room(0, max_bytes), Ok(()));
                let empty = settings.build().unwrap();
                assert_eq!(empty.check_room(taken + 1, max_bytes), refused.map(drop));
                assert!(empty.check_room(taken, max_bytes).is_ok());
                assert!(settings.check_room(taken + 1).is_err());
            }
            assert_eq!(settings.check_room(taken), Ok(()));
        }
    }
}

#[test]
fn no_filter_takes_items_without_end() {
    let settings = Settings::new(1, 0.5).expansion(1).max_bytes(u64::MAX);
    let filter = settings.build().unwrap();
    // Each link has half of the error rate of the previous one, until the rate is zero.
    let refused = filter.check_room(u64::MAX, u64::MAX).unwrap_err();
    assert!(matches!(refused, AddError::Grow(SizeError::ErrorRate { .. })), "{refused}");
    let refused = settings.check_room(u64::MAX).unwrap_err();
    assert!(matches!(refused, SettingsError::Size(SizeError::ErrorRate { .. })), "{refused}");
    let refused = settings.with_capacity(0).check_room(0).unwrap_err();
    assert_eq!(refused, SettingsError::Capacity { got: 0 });
}
