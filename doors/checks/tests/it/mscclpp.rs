//! MSCCL++ execution plans: deadlocks are named, and files of our own are distinguished.

use oneport_checks::{FaultKind, check};
use serde_json::json;

#[test]
fn deadlocks_say_who_waits_for_whom() {
    let operation =
        |name: &str| json!({"name": name, "channel_ids": [0], "channel_type": "memory"});
    let gpu = |id: u32| {
        json!({"id": id, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 0, "remote_buffers": [],
            "channels": [{"channel_type": "memory", "connected_to": [1 - id]}],
            "threadblocks": [{"id": 0, "ops": [operation("wait"), operation("signal")],
                "channels": [{"channel_type": "memory", "channel_ids": [0]}], "remote_buffer_refs": []}]})
    };
    let plan = json!({"name": "circle", "collective": "test", "protocol": "Simple", "inplace": false,
        "gpus": [gpu(0), gpu(1)]});
    let fault = check(&plan.to_string(), None).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Deadlock);
    assert_eq!(
        fault.text,
        "deadlock: rank 0, threadblock 0, operation 0 (wait) waits for a signal of rank 1 on rank 0's memory channel 0; \
         rank 1, threadblock 0, operation 0 (wait) waits for a signal of rank 0 on rank 1's memory channel 0; which is \
         rank 0, threadblock 0"
    );
}

#[test]
fn a_plan_of_ours_is_sent_to_verify() {
    let fault = check("{\"format\":\"oneport-plan/3\",\"collective\":{}}", None).unwrap_err();
    assert!(
        fault.text.contains("this is an oneport plan") && fault.text.contains("`verify`"),
        "{fault}"
    );
}
