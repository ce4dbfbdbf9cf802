//! The example runs, and its files match its text.

#[allow(dead_code)]
#[path = "../../examples/gpus.rs"]
mod gpus;

#[test]
fn the_example_writes_a_plan_that_runs_and_a_chart_of_all_gpus() {
    let [plan, chart] = gpus::files().unwrap();
    oneport_checks::check(&plan, None).unwrap();
    let machine = oneport::platform::generate::dgx1().unwrap();
    for gpu in machine.processors() {
        assert!(chart.contains(machine.name(gpu)), "{}", machine.name(gpu));
    }
}
