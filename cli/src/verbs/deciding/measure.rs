//! `lessons measure`: measure by lot what reminders change.

use anyhow::Result;
use clap::{Args, ValueEnum};
use lessons_context::error::Exit;
use lessons_context::random;
use lessons_lesson::lot::Share;
use lessons_review::effects;
use lessons_store::config::ConfigFile;

use super::on_off::change;
use crate::app::App;
use crate::ui::messages::Message;

/// Arguments of `lessons measure`.
#[derive(Debug, Args)]
pub struct Measure {
    /// Switch it on or off; without it, show what is known so far
    pub switch: Option<Switch>,
    /// The sessions that get no reminders, from 1/2 to 1/16
    #[arg(long, default_value_t)]
    pub share: Share,
}

/// What becomes of measuring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Some sessions get no reminders from now on
    On,
    /// All sessions get them again
    Off,
}

pub(crate) fn run(app: &App, args: &Measure) -> Result<Exit> {
    let (config, _) = ConfigFile::read(&app.home.config())?.settings();
    let said = match args.switch {
        None => {
            let answer = effects::known(app)?.map(|summary| summary.answer).unwrap_or_default();
            let answer = lessons_effect::statistics::answer::Answer { share: config.measure_share, ..answer };
            let state = config.measure_share.map_or_else(
                || "measuring is off".to_owned(),
                |share| format!("measuring is on: one session of {} gets no reminders", share.of()),
            );
            let said = format!("{state}; {}", answer.headline());
            Message::new("measure", "measure", said).then(answer.next_step())
        }
        Some(Switch::On) => {
            let salt = config.salt().map_or_else(random::bytes, Ok)?;
            let look = change(app, "measure on", |config| config.measure(Some((args.share, salt))))?;
            // A salt that was damaged or lost cannot draw the same sessions again.
            let is_new = config.salt().is_none()
                && effects::known(app)?.is_some_and(|it| it.answer.again.sessions > 0);
            let series = if is_new {
                ". The salt of the earlier sessions is lost, so this is a new series"
            } else {
                ""
            };
            let said = format!("{}{series}{look}", price(args.share));
            Message::new("measured", "measure", said).then("lessons measure off, to end it")
        }
        Some(Switch::Off) => {
            let look = change(app, "measure off", |config| config.measure(None))?;
            let said = format!("every session gets reminders again; what was counted stays{look}");
            Message::new("unmeasured", "measure", said).then("lessons effect")
        }
    };
    app.done(&said)
}

/// What measuring costs.
fn price(share: Share) -> String {
    let of = ["two", "three", "four", "five", "six", "seven", "eight"].get(usize::from(share.of()) - 2);
    let of = of.map_or_else(|| share.of().to_string(), |word| (*word).to_owned());
    format!(
        "in one session of {of}, Lessons gives no reminders, so that it can be counted what they change. Blocks and bumps, and \
         lessons of high or critical severity, are never left out"
    )
}
