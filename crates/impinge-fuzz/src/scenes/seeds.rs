//! Scene files with every kind of entry.

pub fn toml() -> Vec<Vec<u8>> {
    let text = "unit = \"mm\"\n[[part]]\nname = \"p\"\nfile = \"a.obj\"\nscale = 2\n\
                pose = { translation = [0, 1, 2], axis = [0, 0, 1], angle_deg = 30 }\n\
                [[part]]\nfile = \"a.obj\"\nobject = \"tetra\"\npose = { quaternion = [0, 0, 0, 1] }\n\
                [[ignore]]\npair = [\"p*\", \"a*\"]\n[[ignore]]\ngroup = [\"*\"]\n";
    vec![text.into()]
}

pub fn json() -> Vec<Vec<u8>> {
    let text = r#"{"part":[{"name":"p","file":"a.obj","scale":[1,2,3],"pose":{"matrix":[[1,0,0,0],[0,1,0,0],[0,0,1,5]]}}],
        "ignore":[{"group":["*","?"]}]}"#;
    vec![text.into()]
}

#[cfg(test)]
mod tests {
    use impinge_io::{load, scene};

    /// A seed that is rejected would cover little of the reader.
    #[test]
    fn every_seed_loads_as_a_scene() {
        let folder =
            std::env::temp_dir().join(format!("impinge-fuzz-seeds-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.obj"), &crate::readers::seeds::obj()[1]).unwrap();
        for (name, seeds) in [("s.toml", super::toml()), ("s.json", super::json())] {
            for seed in seeds {
                std::fs::write(folder.join(name), &seed).unwrap();
                let document = load(folder.join(name)).unwrap();
                assert!(!document.instances.is_empty());
            }
        }
        assert!(scene::read_toml(b"[[part]]\nfile = \"b.obj\"", "s", Some(&folder)).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
