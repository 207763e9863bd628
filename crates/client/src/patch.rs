//! The patches that some clients write files with: one text for several files.

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch<'p> {
    /// `Edit`, or `Write` for a file that is added.
    pub tool: &'static str,
    /// The file, and the name that it gets.
    pub paths: Vec<&'p str>,
    /// The lines that are taken out.
    pub removed: String,
    /// The lines that are added.
    pub content: String,
}

/// The files of a patch. Lines before the first file, and after the end, belong to none.
pub fn files(patch: &str) -> Vec<FilePatch<'_>> {
    let mut files: Vec<FilePatch<'_>> = Vec::new();
    for line in patch.lines().take_while(|line| line.trim_end() != "*** End Patch") {
        if let Some((tool, path)) = header(line) {
            files.push(FilePatch { tool, paths: vec![path], removed: String::new(), content: String::new() });
        } else if let Some(file) = files.last_mut() {
            if let Some(path) = line.strip_prefix("*** Move to: ") {
                file.paths.push(path.trim());
                continue;
            }
            for (sign, text) in [('-', &mut file.removed), ('+', &mut file.content)] {
                if let Some(line) = line.strip_prefix(sign) {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    files
}

/// The tool and the path of a line that begins a file.
fn header(line: &str) -> Option<(&'static str, &str)> {
    let (verb, path) = line.strip_prefix("*** ")?.split_once(" File: ")?;
    let tool = match verb {
        "Add" => "Write",
        "Update" | "Delete" => "Edit",
        _ => return None,
    };
    Some((tool, path.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_one_and_a_move_names_a_second_path() {
        let patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n+z\n*** Add File: n.txt\n+*** Add File: no\n\
                     *** Delete File: d\n*** End Patch\n*** Add File: after";
        let files = files(patch);
        let seen: Vec<_> =
            files.iter().map(|file| (file.tool, file.paths.as_slice(), file.content.as_str())).collect();
        assert_eq!(
            seen,
            [
                ("Edit", &["a.py", "b.py"][..], "y\nz\n"),
                ("Write", &["n.txt"], "*** Add File: no\n"),
                ("Edit", &["d"], "")
            ]
        );
    }

    #[test]
    fn half_a_patch_gives_what_is_there() {
        assert_eq!(files("*** Begin Patch\n*** Update File: a.py\n+y")[0].content, "y\n");
        for none in ["", "*** Begin Patch", "*** Rename File: a", "+x", "*** Update File"] {
            assert_eq!(files(none), [], "{none}");
        }
    }
}
