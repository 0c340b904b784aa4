//! Checks of the paths of outputs, before anything is read or computed: an option without its file
//! name takes the next argument, which may be a model that must not be replaced.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

/// An output of the command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output<'a> {
    /// The option that names it.
    pub(crate) option: &'static str,
    /// Its path, if it was requested.
    pub(crate) path: Option<&'a Path>,
    /// The extensions that its path may have, in lower case.
    pub(crate) extensions: &'static [&'static str],
}

/// Checks that outputs have the extensions of their formats and replace no input.
pub(crate) fn check<'a>(
    outputs: &[Output<'_>],
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    for &Output { option, path, extensions } in outputs {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else { continue };
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        ensure!(
            extension.is_some_and(|extension| extensions.contains(&extension.as_str())),
            "{option} writes a file whose name ends in .{}, but it was given {}; write the file \
             name after the option",
            extensions.join(" or ."),
            path.display()
        );
        for input in &inputs {
            ensure!(
                !is_same_file(path, input),
                "{option} would replace {}, which is an input; choose another file name",
                input.display()
            );
        }
    }
    Ok(())
}

/// Whether two paths name the same file, or would if it existed.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(option: &'static str, path: &str, inputs: &[&str]) -> Result<(), String> {
        let output = Output { option, path: Some(Path::new(path)), extensions: &["png", "svg"] };
        check(&[output], inputs.iter().map(Path::new)).map_err(|error| error.to_string())
    }

    #[test]
    fn names_and_inputs_are_checked() {
        assert_eq!(verdict("--png", "a/b.PNG", &["b.png"]), Ok(()));
        assert_eq!(verdict("--events", "-", &["-"]), Ok(()));
        let message = verdict("--png", "part.stl", &[]).expect_err("not a picture");
        assert!(message.contains("--png") && message.contains(".png or .svg"), "{message}");
        assert!(verdict("--png", "picture", &[]).is_err());
        let message = verdict("--png", "p.svg", &["q.obj", "p.svg"]).expect_err("an input");
        assert!(message.contains("p.svg, which is an input"), "{message}");
    }
}
