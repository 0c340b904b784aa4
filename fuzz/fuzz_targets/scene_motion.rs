#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| impinge_fuzz::run("scene_motion", bytes));
