//! `lessons mcp`: a server of the Model Context Protocol on standard input and output, for clients of any kind.
//!
//! - `tools`: the three tools, what they take, and the limits of that. They run what the verbs run.
//! - `note`: what an agent notes becomes a candidate.
//!
//! The protocol is the SDK's (`rmcp`), which after the end of input waits five seconds for answers that are still being made.
//! Messages are answered one at a time, a longer one than [`LONGEST_MESSAGE`] is dropped, and nothing that is printed names a folder of this
//! machine. A model may file notes and decides nothing.

mod note;
mod tools;

use std::collections::BTreeSet;

use jiff::Timestamp;
use lessons_context::{Actor, Authority, Context, NoPerson};
use lessons_ledger::Database;
use lessons_review::project_names;
use lessons_store::StoreLocation;
use lessons_text::neutral;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};

use crate::app::Printed;
use crate::prelude::*;

/// The longest message that is read, in bytes.
const LONGEST_MESSAGE: usize = 1 << 20;
/// The longest answer of a tool, in characters.
const LONGEST_ANSWER: usize = 64 << 10;
/// What stands in the place of a folder of this machine.
const FOLDER: &str = "~";

/// Serves until the client closes standard input.
pub(crate) fn run(app: &App) -> Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let server = LessonsServer { app: for_model(app), run: note::run_name(app) };
    runtime.block_on(async {
        let (input, output) = rmcp::transport::stdio();
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_MESSAGE);
        let serving =
            server.serve(transport).await.context("the client did not begin as the protocol says")?;
        serving.waiting().await.context("the server stopped")
    })?;
    // Standard input is read on a thread that may still wait.
    runtime.shutdown_background();
    Ok(Exit::Done)
}

/// The context for what a model asks: it decides nothing, whoever started the server, and what it is told is fenced.
fn for_model(app: &App) -> App {
    let context = Context {
        actor: Actor::Agent { session: app.session().unwrap_or_default().to_owned() },
        authority: Authority::Missing(NoPerson::NoTerminal),
        store: StoreLocation::User,
        ..app.context.clone()
    };
    App { context, output: Output::Text, ..app.clone() }
}

/// The server of one client.
struct LessonsServer {
    app: App,
    /// The name of this run of the server, which stands for a session that is not known.
    run: String,
}

impl LessonsServer {
    /// What a tool answers: its text, or a sentence about what went wrong.
    fn answer(&self, name: &str, arguments: serde_json::Value) -> Option<CallToolResult> {
        let printed = Printed::default();
        let app = App {
            context: Context { now: Timestamp::now(), ..self.app.context.clone() },
            printed: Some(printed.clone()),
            ..self.app.clone()
        };
        building::settle(&app);
        let failed = tools::call(&app, &self.run, name, arguments)?.err();
        let text = failed.as_ref().map_or_else(|| printed.text(), messages::sentence);
        let (is_fit, text) = shown(&app, &text).map_or_else(|why| (false, why), |text| (true, text));
        let blocks = vec![ContentBlock::text(text)];
        let is_done = failed.is_none() && is_fit;
        Some(if is_done { CallToolResult::success(blocks) } else { CallToolResult::error(blocks) })
    }
}

/// A text as it may leave this machine: without its folders, and not too long.
fn shown(app: &App, text: &str) -> Result<String, String> {
    let mut folders: Vec<String> = folders(app).into_iter().filter(|folder| folder.len() > 1).collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
    let text = neutral::visible(text);
    let text = folders.iter().fold(text, |text, folder| text.replace(folder.as_str(), FOLDER));
    if text.chars().count() > LONGEST_ANSWER {
        return Err(format!("the answer has more than {LONGEST_ANSWER} characters; ask about less"));
    }
    Ok(text)
}

/// The folders of this machine that a text could name: the home, the data folder and the projects.
fn folders(app: &App) -> BTreeSet<String> {
    let database = Database::existing(&app.home).ok().flatten();
    let roots = database.and_then(|database| database.project_roots().ok()).unwrap_or_default();
    let own = [Some(app.home.root().to_owned()), project_names::here()];
    let own = own.into_iter().flatten().map(|folder| folder.display().to_string());
    roots.into_iter().map(|(root, _)| root).chain(own).chain(std::env::var("HOME")).collect()
}

impl ServerHandler for LessonsServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("lessons", building::VERSION))
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let result = self.answer(&request.name, arguments).map(CallToolResponse::from);
        result.ok_or_else(|| ErrorData::invalid_params("there is no such tool", None))
    }
}
