use super::*;

fn chart(series: Vec<Series>) -> Chart {
    Chart {
        title: "Title & <more>".to_owned(),
        x: Axis::linear("across", 2, 1, |at| format!("{at}")),
        y: Axis::decades("down", [-2, 0], |power| format!("e{power}")),
        series,
        guide: (1.0, "here".to_owned()),
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
    // The legend has one of each, too. What has no place is not drawn.
    assert_eq!(svg.matches("<circle").count(), 3);
    assert_eq!(svg.matches("#0072B2").count(), 2, "{svg}");
    assert!(svg.matches("#D55E00").count() > 10);
}
