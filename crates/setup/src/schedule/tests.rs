//! The plans as they are shown: every file and every command, to the letter.

use insta::assert_snapshot;

use super::*;

fn job() -> ScheduledJob {
    ScheduledJob {
        program: "/home/u/.local/bin/lessons".into(),
        at: Time::constant(3, 30, 0, 0),
        variables: Vec::new(),
    }
}

/// A program and a folder with everything in their names that a scheduler might take for its own.
fn awkward() -> ScheduledJob {
    ScheduledJob {
        program: "/home/u/my \"tools\" 100%/$HOME/it's/lessons".into(),
        at: Time::constant(23, 5, 0, 0),
        variables: vec![("LESSONS_HOME".into(), "/home/u/a & b <c> 50%".into())],
    }
}

fn machine() -> SchedulerFiles {
    SchedulerFiles { home: "/home/u".into(), config: "/home/u/.config".into(), user: 501 }
}

fn shown(steps: &[ScheduleStep]) -> String {
    steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn systemd_gets_a_service_and_a_timer() {
    assert_snapshot!(shown(&install(SchedulerName::Systemd, &job(), &machine()).unwrap()), @r#"
    write /home/u/.config/systemd/user/lessons-nightly.service
        # Written by `lessons schedule install`; `lessons schedule remove` removes it.
        [Unit]
        Description=Lessons: what is done every night

        [Service]
        Type=oneshot
        ExecStart="/home/u/.local/bin/lessons" nightly
        SuccessExitStatus=1
        Nice=19
        IOSchedulingClass=idle
        TimeoutStartSec=1h
    write /home/u/.config/systemd/user/lessons-nightly.timer
        # Written by `lessons schedule install`; `lessons schedule remove` removes it.
        [Unit]
        Description=Lessons: every night

        [Timer]
        OnCalendar=*-*-* 03:30:00
        Persistent=true

        [Install]
        WantedBy=timers.target
    run systemctl --user daemon-reload
    run systemctl --user enable lessons-nightly.timer
    run systemctl --user restart lessons-nightly.timer
    "#);
}

#[test]
fn awkward_names_are_quoted_as_systemd_reads_them() {
    let steps = install(SchedulerName::Systemd, &awkward(), &machine()).unwrap();
    let [ScheduleStep::Write { text, .. }, ..] = steps.as_slice() else { panic!("{steps:?}") };
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with('E')).collect();
    assert_snapshot!(lines.join("\n"), @r#"
    ExecStart="/home/u/my \"tools\" 100%%/$HOME/it's/lessons" nightly
    Environment="LESSONS_HOME=/home/u/a & b <c> 50%%"
    "#);
}

#[test]
fn launchd_gets_an_agent() {
    assert_snapshot!(shown(&install(SchedulerName::Launchd, &awkward(), &machine()).unwrap()), @r#"
    write /home/u/Library/LaunchAgents/dev.lessons.nightly.plist
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <!-- Written by `lessons schedule install`; `lessons schedule remove` removes it. -->
        <plist version="1.0">
        <dict>
          <key>Label</key><string>dev.lessons.nightly</string>
          <key>ProgramArguments</key>
          <array><string>/home/u/my "tools" 100%/$HOME/it's/lessons</string><string>nightly</string></array>
          <key>EnvironmentVariables</key>
          <dict>
            <key>LESSONS_HOME</key><string>/home/u/a &amp; b &lt;c&gt; 50%</string>
          </dict>
          <key>StartCalendarInterval</key>
          <dict><key>Hour</key><integer>23</integer><key>Minute</key><integer>5</integer></dict>
          <key>ProcessType</key><string>Background</string>
          <key>LowPriorityIO</key><true/>
          <key>Nice</key><integer>19</integer>
        </dict>
        </plist>
    run launchctl bootout gui/501/dev.lessons.nightly
    run launchctl bootstrap gui/501 /home/u/Library/LaunchAgents/dev.lessons.nightly.plist
    "#);
    assert_snapshot!(shown(&launchd::remove(&machine())), @r#"
    run launchctl bootout gui/501/dev.lessons.nightly
    remove /home/u/Library/LaunchAgents/dev.lessons.nightly.plist
    "#);
}

#[test]
fn what_was_installed_is_found_and_what_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let machine = SchedulerFiles { home: folder.path().into(), config: folder.path().join("c"), user: 1 };
    for with in SchedulerName::ALL {
        assert_eq!(installed(with, &machine).unwrap(), None);
        assert_eq!(remove(with, &machine).unwrap(), []);
    }
    for with in SchedulerName::ALL {
        let steps = install(with, &job(), &machine).unwrap();
        for step in &steps {
            if let ScheduleStep::Write { path, text } = step {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                #[allow(clippy::disallowed_methods, reason = "what a plan says, done by a test")]
                std::fs::write(path, text).unwrap();
            }
        }
        let found = installed(with, &machine).unwrap().unwrap();
        assert!(
            found.job_lines.contains("03:30") && found.job_lines.contains("/home/u/.local/bin/lessons"),
            "{found:?}"
        );
        assert!(!remove(with, &machine).unwrap().is_empty());
        let ScheduleStep::Write { path, .. } = &steps[0] else { panic!("{steps:?}") };
        #[allow(clippy::disallowed_methods, reason = "a file of somebody else")]
        std::fs::write(path, "theirs").unwrap();
        let error = installed(with, &machine).unwrap_err().to_string();
        assert!(error.contains("`mv "), "{error}");
    }
}

#[test]
fn a_path_with_a_line_feed_is_refused() {
    let job = ScheduledJob { program: "/a\nb".into(), ..job() };
    for with in SchedulerName::ALL {
        assert!(install(with, &job, &machine()).is_err());
    }
}
