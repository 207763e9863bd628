//! The list of all verbs, and examples.

/// Every verb in the order of the flow, as `lessons help all` shows them.
pub const OVERVIEW: &str = "\
See
  status        Reminders, blocked calls and what waits for you (the same as `lessons` alone)
  list          List the lessons in force
  show          Show all details of a lesson or candidate
  candidates    List mistakes found in sessions that wait for your decision
  report        Show the report of the last nightly run; with --html, a page of what lessons do
  log           List every change: who, when, what, and whether it was undone
  query         Find lessons by words, or for a file, a command or a topic
  effect        Show what lessons do, and which cannot help, block too much or are no longer needed
  incidents     List texts that were dangerous once; report, retire, reinstate or confirm one
  check         Check whether a text is like one of them
  stats         Show how often lessons are queried, given and recorded, and what that costs

Decide
  review        Decide which mistakes found in your sessions become lessons
  promote       Make a candidate a lesson
  reject        Reject a candidate
  reflect       Show mistakes that no candidate explains; `propose` tries lessons for them
  accept        Accept changes made in the files themselves; `restore --store` discards them
  add           Record a lesson
  edit          Change a lesson
  retire        Retire a lesson; `restore` brings it back
  merge         Merge one lesson into another
  supersede     Replace one lesson with another
  untrigger     Remove a trigger from a lesson
  restore       Bring back a rejected candidate or a retired lesson
  off, on       Switch a lesson, a built-in lesson or everything off and on again
  undo          Undo your last change, or any other one by its number
  trust         Approve the lessons that a project brings along; `untrust` withdraws it

Share
  share         Sign lessons of yours, for others to take; `unshare` asks them to use one no more
  peers         List whose shared lessons you want; `trust` and `distrust` a key
  identity      Show the public key with which this machine signs

Try
  replay        Show what a lesson, a candidate or a trigger would have done in past sessions
  explain       Explain why a call was advised, blocked or left alone
  test          Run the examples of every lesson
  validate      Check your lessons for errors and doubtful entries
  doctor        Check the whole installation and suggest fixes

Keep
  install       Install Lessons into Claude Code, or a newer version of it; `uninstall` removes it
  receive       Take in the lessons that peers share
  scan          Look for mistakes in the sessions on this machine
  build         Compile the lessons for the hooks
  prune         Remove triggers that match nothing and entries that nothing uses
  strip-markers Remove references such as `See L128` from rules
  init          Write every default setting; `--team` sets up git merges of project lessons
  import        Import lessons from another tool or person
  export        Export your lessons for another tool
  mcp           Serve lessons to a model over the Model Context Protocol
  nightly       Scan, reject what has waited for 90 days, back up, build, check, report
  schedule      Run `nightly` every night: install, status, remove
  completions   Generate shell completions
  forget        Permanently erase a text from all stored data";

/// Examples of `lessons add`: a lesson at a call, and one at every start of a session.
pub(super) const ADD_EXAMPLES: &str = r#"Examples:
  lessons add --rule "Use pnpm" --mistake "npm writes a second lock file" \
      --trigger 'cmd=\bnpm\s+(i|install)\b'
  lessons add --rule "The staging database may be wiped, production never" --when session"#;
