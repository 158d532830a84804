use super::*;

fn chart(series: Vec<Series>) -> Chart {
    Chart {
        title: "Title & <more>".to_owned(),
        shape: Shape::default(),
        x: Axis::linear("across", 2, 1, |at| format!("{at}")),
        y: Axis::decades("down", [-2, 0], |power| format!("e{power}")),
        series,
        guides: vec![(1.0, "here".to_owned())],
        empty: "nothing",
    }
}

#[test]
fn lines_end_where_the_picture_does() {
    assert_eq!(cut((0.0, 0.0), (1.0, 4.0), 1.0, 2.0), Some([(0.25, 1.0), (0.5, 2.0)]));
    assert_eq!(cut((0.0, 4.0), (1.0, 0.0), 1.0, 9.0), Some([(0.0, 4.0), (0.75, 1.0)]));
    assert_eq!(cut((0.0, 1.0), (1.0, 2.0), 1.0, 2.0), Some([(0.0, 1.0), (1.0, 2.0)]));
    assert_eq!(cut((0.0, 0.0), (1.0, 0.9), 1.0, 2.0), None);
    assert_eq!(cut((0.0, 3.0), (1.0, 2.1), 1.0, 2.0), None);
    let picture = chart(vec![]);
    let pieces = picture.visible(&[(0.0, 0.0), (0.5, 0.1), (1.0, 1.0), (1.5, 1e-9), (2.0, 0.5)]);
    let counts: Vec<_> = pieces.iter().map(Vec::len).collect();
    assert_eq!(counts, [4, 2], "{pieces:?}");
    let inside = |&(x, y): &(f64, f64)| (0.0..=2.0).contains(&x) && (-2.0..=0.0).contains(&y);
    assert!(pieces.iter().flatten().all(inside), "{pieces:?}");
}

#[test]
fn a_bar_below_the_picture_is_not_drawn() {
    let picture = chart(vec![]);
    assert!(picture.visible(&[(1.0, -0.5), (1.0, 1e-5)]).is_empty());
    assert_eq!(picture.visible(&[(1.0, -0.5), (1.0, 0.1), (1.0, 0.7)]).len(), 1);
}

#[test]
fn every_mark_and_text_is_in_the_document() {
    let line = vec![(0.5, 0.5), (1.5, 0.05)];
    let points = vec![(0.5, 0.5, 0.1), (1.0, 0.0, 0.0), (1.5, 0.1, 0.01)];
    let svg = chart(vec![
        Series::new("solid", Mark::Line(line.clone())),
        Series::new("dashed", Mark::Dashes(line)),
        Series::new("dots", Mark::Points(points)),
    ])
    .svg()
    .unwrap();
    for text in
        ["Title &amp; &lt;more&gt;", "across", "down", "e-1", "here", "solid", "dashed", "dots"]
    {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert!(svg.contains("\n<title>Title &amp; &lt;more&gt;</title>"), "{svg}");
    // The legend has one of each, too. Values outside of the range are not drawn.
    assert_eq!(svg.matches("<circle").count(), 3);
    assert_eq!(svg.matches("#0072B2").count(), 2, "{svg}");
    assert!(svg.matches("#D55E00").count() > 10);
}

/// Returns the x position and the font size of the text elements with this text.
fn text(svg: &str, words: &str) -> (f64, f64) {
    let (before, _) = svg.split_once(&format!("\n{words}\n</text>")).unwrap();
    let (_, element) = before.rsplit_once("<text ").unwrap();
    let number = |name: &str| {
        let (_, rest) = element.split_once(name)?;
        rest.split('"').nth(1)?.parse().ok()
    };
    (number("x=").unwrap(), number("font-size=").unwrap())
}

#[test]
fn a_legend_has_room_for_its_entries() {
    let names = ["the first of them", "another", "the last one"];
    let svg = chart(names.map(|name| Series::new(name, Mark::Line(vec![(0.5, 0.5)]))).to_vec())
        .svg()
        .unwrap();
    for pair in names.windows(2) {
        let ((left, size), (right, _)) = (text(&svg, pair[0]), text(&svg, pair[1]));
        // A letter is half of the font size wide on average.
        let end = left + 0.5 * size * f64::from(u32::try_from(pair[0].len()).unwrap());
        assert!(end + f64::from(SAMPLE) < right, "{pair:?}: {end}, {right}");
    }
}

#[test]
fn a_long_title_is_set_smaller() {
    let size = |letters: usize| {
        let mut chart = chart(vec![]);
        chart.title = "x".repeat(letters);
        text(&chart.svg().unwrap(), &chart.title).1
    };
    let sizes = [1, 40, 100, 200].map(size);
    assert!(sizes[0].total_cmp(&sizes[1]).is_eq() && sizes[1] > sizes[2], "{sizes:?}");
    assert!((sizes[2] / sizes[3] - 2.0).abs() < 1e-9 && 100.0 * 0.5 * sizes[2] < 1020.0);
}

#[test]
fn a_chart_of_nothing_says_so_and_has_no_frame() {
    let svg = chart(vec![Series::new("none", Mark::Bars(vec![]))]).svg().unwrap();
    assert!(svg.contains("\nnothing\n</text>") && svg.contains("Title"), "{svg}");
    assert!(
        !svg.contains("across") && !svg.contains("<line") && !svg.contains("\nnone\n"),
        "{svg}"
    );
}

#[test]
fn many_dots_are_small_and_many_bars_have_no_gaps() {
    for (count, dot, width) in [(3, 6, 238), (50, 6, 14), (100, 3, 7), (400, 1, 3), (5000, 1, 1)] {
        let places = || (0..count).map(f64::from);
        let mut chart = chart(vec![
            Series::new("bars", Mark::Bars(places().map(|x| (x, 0.5)).collect())),
            Series::new("dots", Mark::Points(places().map(|x| (x, 0.5, 0.01)).collect())),
        ]);
        chart.x = Axis::with_ticks("x", -0.5..f64::from(count) - 0.5, vec![]);
        chart.y = Axis::counts("y", 1, |count| count.to_string());
        chart.guides.clear();
        let svg = chart.svg().unwrap();
        let with = |tag: &str, what: String| {
            svg.lines().filter(|line| line.starts_with(tag) && line.contains(&what)).count()
        };
        // One dot is in the legend.
        let dots = with("<circle", format!(" r=\"{dot}\""));
        assert_eq!(dots, usize::try_from(count).unwrap() + usize::from(dot == DOT), "{count}");
        let bars =
            [width - 1, width, width + 1].map(|width| with("<rect", format!(" width=\"{width}\"")));
        let bars: usize = bars.into_iter().sum();
        assert!(bars >= usize::try_from(count).unwrap(), "{count}: {bars}");
        assert!(!svg.contains(" opacity=\"0.5\""), "{svg}");
    }
}
