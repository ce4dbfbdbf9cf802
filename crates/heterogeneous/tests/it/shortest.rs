//! The entry point: every method against brute force, the choice of `Auto`, schedules of answers.

use crate::common;

use common::{
    Dice, check_placement, cluster, cluster_of, endless, int, optimum, processors_of, ratio, replay,
};
use oneport_heterogeneous::{Answer, Cluster, Method, shortest};
use oneport_plan::{Instance, Proof, Status};

fn sound(cluster: &Cluster, answer: &Answer) {
    let found = &answer.shortest;
    assert_eq!(
        found.instance,
        Instance::Classes(cluster.classes().to_vec())
    );
    assert!(found.lower_bound <= found.length && found.reduction.is_none());
    assert!(check_placement(cluster, &answer.placement) <= found.length);
    assert!(answer.method != Method::Auto && !answer.why.is_empty());
    let reduction = answer.schedule(&processors_of(cluster)).unwrap();
    let length = replay(&reduction);
    assert!(
        length <= found.length
            && (found.stated_status() == Status::Feasible || length == found.length)
    );
}

#[test]
fn every_method_against_brute_force() {
    let mut random = Dice(31);
    for _ in 0..80 {
        let n = random.within(1, 7) as usize;
        let most = random.within(2, 12);
        let times: Vec<u64> = (0..n).map(|_| random.within(most / 3 + 1, most)).collect();
        let cluster = cluster_of(&times);
        let best = int(optimum(&times) as i64);
        for method in [
            Method::Auto,
            Method::SlowestFirst,
            Method::DynamicProgram,
            Method::Levels,
            Method::Slots,
            Method::Search,
        ] {
            if method == Method::Levels && cluster.classes().len() != 2 {
                assert!(shortest(&cluster, method, &endless()).is_err());
                continue;
            }
            let answer = shortest(&cluster, method, &endless()).unwrap();
            sound(&cluster, &answer);
            assert!(answer.shortest.lower_bound <= best && best <= answer.shortest.length);
            if method != Method::SlowestFirst && method != Method::Slots {
                assert_eq!(
                    answer.shortest.stated_status(),
                    Status::Optimal,
                    "{method:?} {times:?}"
                );
            }
        }
    }
}

/// The pairs of cells are counted, not bounded by the square of the table.
#[test]
fn three_classes_of_thirty_fit_the_dynamic_program() {
    let cluster = cluster(&[(int(3), 30), (int(4), 30), (int(5), 30)]);
    let dynamic = shortest(&cluster, Method::DynamicProgram, &endless()).unwrap();
    assert_eq!(
        dynamic.shortest.length,
        shortest(&cluster, Method::Slots, &endless())
            .unwrap()
            .shortest
            .length
    );
    assert_eq!(dynamic.shortest.stated_status(), Status::Optimal);
}

/// The dynamic program for k classes against the search.
#[test]
fn dynamic_programs() {
    let mut random = Dice(32);
    for _ in 0..40 {
        let k = random.within(1, 4);
        let classes: Vec<_> = (0..k)
            .map(|_| {
                (
                    ratio(random.within(4, 12) as i64, 3),
                    random.within(1, if k < 4 { 5 } else { 3 }),
                )
            })
            .collect();
        let cluster = cluster(&classes);
        let dynamic = shortest(&cluster, Method::DynamicProgram, &endless()).unwrap();
        sound(&cluster, &dynamic);
        let search = shortest(&cluster, Method::Search, &endless()).unwrap();
        assert_eq!(dynamic.shortest.length, search.shortest.length);
    }
}

#[test]
fn what_auto_takes() {
    let auto = |classes: &[(i64, u64)]| {
        let classes: Vec<_> = classes
            .iter()
            .map(|&(time, senders)| (int(time), senders))
            .collect();
        shortest(&cluster(&classes), Method::Auto, &endless()).unwrap()
    };
    let nobody = auto(&[]);
    assert_eq!(
        (&nobody.shortest.length, nobody.shortest.stated_status()),
        (&int(0), Status::Optimal)
    );
    assert_eq!(
        auto(&[(3, 100)]).why,
        "1 class: slowest-node-first is optimal"
    );
    assert_eq!(
        auto(&[(3, 100), (6, 10), (12, 3)]).method,
        Method::SlowestFirst
    );
    assert_eq!(
        auto(&[(3, 100), (8, 10)]).shortest.proof,
        Proof::SlowestFirst
    );
    assert_eq!(auto(&[(3, 100), (5, 10)]).why, "2 classes: levels");
    assert_eq!(
        auto(&[(3, 2), (5, 2), (7, 2), (8, 1)]).why,
        "4 classes of 7 senders: search"
    );
    assert_eq!(
        auto(&[(3, 20), (5, 20), (7, 20)]).why,
        "3 classes of 60 senders: slots"
    );
    let names: Vec<_> = [
        Method::Auto,
        Method::SlowestFirst,
        Method::DynamicProgram,
        Method::Levels,
        Method::Slots,
    ]
    .map(Method::name)
    .to_vec();
    assert_eq!(names, ["auto", "snf", "dp", "levels", "slots"]);
}

#[test]
fn schedules_of_two_classes() {
    let mut random = Dice(33);
    for _ in 0..30 {
        let classes = [
            (ratio(7, 3), random.within(1, 300)),
            (ratio(random.within(8, 13) as i64, 3), random.within(1, 300)),
        ];
        let cluster = cluster(&classes);
        let answer = shortest(&cluster, Method::Auto, &endless()).unwrap();
        assert_eq!(answer.shortest.stated_status(), Status::Optimal);
        sound(&cluster, &answer);
    }
    let answer = shortest(&cluster_of(&[1, 2]), Method::Auto, &endless()).unwrap();
    assert!(
        answer
            .schedule(&processors_of(&cluster_of(&[1, 3])))
            .is_err()
    );
    let large = cluster(&[(int(3), 1 << 40), (int(4), 1 << 30), (int(5), 1 << 20)]);
    assert!(shortest(&large, Method::DynamicProgram, &endless()).is_err());
}
