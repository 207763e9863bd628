//! The plans as they are shown: every file and every command, to the letter.

use insta::assert_snapshot;

use super::*;

fn job() -> ScheduledJob {
    ScheduledJob {
        program: "/home/u/.local/bin/lessons".into(),
        at: TimeOfDay { hour: 3, minute: 30 },
        variables: Vec::new(),
    }
}

/// A program and a folder with everything in their names that a scheduler might take for its own.
fn awkward() -> ScheduledJob {
    ScheduledJob {
        program: "/home/u/my \"tools\" 100%/$HOME/it's/lessons".into(),
        at: TimeOfDay { hour: 23, minute: 5 },
        variables: vec![("LESSONS_HOME".into(), "/home/u/a & b <c> 50%".into())],
    }
}

fn machine() -> SchedulerFiles {
    SchedulerFiles {
        home: "/home/u".into(),
        config: "/home/u/.config".into(),
        user: 501,
        crontab: String::new(),
    }
}

fn shown(steps: &[ScheduleStep]) -> String {
    steps.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_time_of_day_is_read_strictly() {
    assert_eq!("3:05".parse(), Ok(TimeOfDay { hour: 3, minute: 5 }));
    assert_eq!("23:59".parse::<TimeOfDay>().unwrap().to_string(), "23:59");
    for text in ["24:00", "3:60", "3", "", ":", "+3:00", "003:00", "3:0a", "-1:00"] {
        assert!(text.parse::<TimeOfDay>().is_err(), "{text}");
    }
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
fn cron_gets_a_line_and_keeps_the_others() {
    let mut machine = machine();
    machine.crontab = "# mine\n0 5 * * * backup".into();
    let steps = install(SchedulerName::Cron, &awkward(), &machine).unwrap();
    assert_snapshot!(shown(&steps), @r#"
    run crontab - with
        # mine
        0 5 * * * backup
        5 23 * * * LESSONS_HOME='/home/u/a & b <c> 50'\%'' nice -n 19 '/home/u/my "tools" 100'\%'/$HOME/it'\''s/lessons' nightly >/dev/null 2>&1 # lessons-nightly: `lessons schedule remove` removes it
    "#);
    let [ScheduleStep::Run { input: Some(text), .. }] = steps.as_slice() else { panic!("{steps:?}") };
    machine.crontab.clone_from(text);
    assert_snapshot!(installed(SchedulerName::Cron, &machine).unwrap().unwrap().job_lines, @r#"5 23 * * * LESSONS_HOME='/home/u/a & b <c> 50'\%'' nice -n 19 '/home/u/my "tools" 100'\%'/$HOME/it'\''s/lessons' nightly >/dev/null 2>&1 # lessons-nightly: `lessons schedule remove` removes it"#);
    // A second time changes the line and adds none.
    let again = install(SchedulerName::Cron, &job(), &machine).unwrap();
    assert_snapshot!(shown(&again), @r#"
    run crontab - with
        # mine
        0 5 * * * backup
        30 3 * * * nice -n 19 /home/u/.local/bin/lessons nightly >/dev/null 2>&1 # lessons-nightly: `lessons schedule remove` removes it
    "#);
    assert_snapshot!(shown(&remove(SchedulerName::Cron, &machine).unwrap()), @r#"
    run crontab - with
        # mine
        0 5 * * * backup
    "#);
}

#[test]
fn a_crontab_with_nothing_else_in_it_is_removed() {
    let mut machine = machine();
    assert_eq!(remove(SchedulerName::Cron, &machine).unwrap(), []);
    let steps = install(SchedulerName::Cron, &job(), &machine).unwrap();
    let [ScheduleStep::Run { input: Some(text), .. }] = steps.as_slice() else { panic!("{steps:?}") };
    machine.crontab.clone_from(text);
    assert_snapshot!(shown(&remove(SchedulerName::Cron, &machine).unwrap()), @"run crontab -r");
}

#[test]
fn a_shell_reads_the_words_of_the_line_as_they_were_meant() {
    // What cron hands to the shell: the line up to an unescaped `%`, the backslash before an escaped one gone.
    let mut machine = machine();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("it's 100% $HOME \"mine\"");
    #[allow(clippy::disallowed_methods, reason = "a program for a test")]
    std::fs::write(&program, "#!/bin/sh\nprintf '%s|%s|%s' \"$0\" \"$1\" \"$LESSONS_HOME\" >\"$OUT\"\n")
        .unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let job = ScheduledJob { program: program.to_string_lossy().into_owned(), ..awkward() };
    let [ScheduleStep::Run { input: Some(text), .. }] =
        &install(SchedulerName::Cron, &job, &machine).unwrap()[..]
    else {
        panic!("no line")
    };
    machine.crontab.clone_from(text);
    let line = cron::line_of(&machine.crontab).unwrap();
    let command = line.splitn(6, ' ').nth(5).unwrap().replace(r"\%", "%");
    let out = folder.path().join("out");
    let status = std::process::Command::new("/bin/sh").args(["-c", &command]).env("OUT", &out).status();
    assert!(status.unwrap().success());
    let said = std::fs::read_to_string(out).unwrap();
    assert_eq!(said, format!("{}|nightly|/home/u/a & b <c> 50%", program.display()));
}

#[test]
fn what_was_installed_is_found_and_what_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let machine = SchedulerFiles {
        home: folder.path().into(),
        config: folder.path().join("c"),
        user: 1,
        crontab: "x lessons nightly".into(),
    };
    for with in SchedulerName::ALL {
        assert_eq!(installed(with, &machine).unwrap(), None);
        assert_eq!(remove(with, &machine).unwrap(), []);
    }
    for with in [SchedulerName::Systemd, SchedulerName::Launchd] {
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
