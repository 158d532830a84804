//! Loading a file of an earlier run, to continue its count.

use std::path::Path;

use tallis::Store;

use super::form::Form;
use crate::failure::Failure;
use crate::snapshot;

/// The keys of a bucket that record its form, and the form of each.
const FORMS: [(&[u8], Option<Form>); 5] = [
    (b":expected", Some(Form::Book)),
    (b":tagged", Some(Form::Tagged)),
    (b":bits", Some(Form::Compact)),
    (b":shards", Some(Form::Split)),
    (b":bitmap", None),
];

/// Loads a file, whose buckets must have this form.
pub(super) fn load(store: &Store, file: &Path, form: Form) -> Result<(), Failure> {
    snapshot::load(store, file)?;
    if has_buckets(store, file, form)? {
        return Ok(());
    }
    Err(snapshot::unfit(file, "it contains no visitors: it has no key unique:BUCKET"))
}

/// Returns whether the loaded store has buckets. Fails if one has another form.
pub(super) fn has_buckets(store: &Store, file: &Path, form: Form) -> Result<bool, Failure> {
    let mut found = false;
    for key in store.scan_match("unique:*") {
        let key = key?;
        let Some((bucket, other)) = form_of(&key) else { continue };
        found = true;
        // A compact bucket has both keys.
        let other = match other {
            Some(Form::Split) if store.exists([bucket, b":bits"].concat())? => Some(Form::Compact),
            other => other,
        };
        if other != Some(form) {
            let bucket = String::from_utf8_lossy(bucket);
            let what = match other {
                Some(other) => format!("{bucket} was counted with --form {other}"),
                None => {
                    format!("{bucket} was counted in a bitmap, a form that uv does not support")
                }
            };
            return Err(snapshot::unfit(file, &what));
        }
    }
    Ok(found)
}

/// Returns the counter of a bucket and its form, for a key that records it.
fn form_of(key: &[u8]) -> Option<(&[u8], Option<Form>)> {
    FORMS.into_iter().find_map(|(end, form)| Some((key.strip_suffix(end)?, form)))
}
