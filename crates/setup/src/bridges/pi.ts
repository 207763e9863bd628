// Lessons for pi. Written by `lessons install --client pi`; `lessons uninstall --client pi` removes it.
// It only carries messages between pi and this program, `lessons-hook --client pi`.
import { spawnSync } from "node:child_process";

const PROGRAM = "@PROGRAM@";

type Told = { advice?: string; refusal?: string };

export default function (pi: any) {
  const advice = new Map<string, string>(); // by call: said beside the result
  const openings = new Map<string, string | undefined>(); // by session

  const ask = (name: string, event: any, context: any): Told => {
    const { toolName, toolCallId, input, content, isError } = event;
    const message = { hook_event_name: name, session_id: context.sessionManager.getSessionId(), cwd: context.cwd };
    const text = JSON.stringify({ ...message, toolName, toolCallId, input, content, isError });
    // A program that is missing, slow or silent stops nothing.
    const { stdout } = spawnSync(PROGRAM, ["--client", "pi"], { input: text, encoding: "utf8", timeout: 5000 });
    try {
      return stdout ? JSON.parse(stdout) : {};
    } catch {
      return {};
    }
  };

  pi.on("before_agent_start", async (event: any, context: any) => {
    const session = context.sessionManager.getSessionId();
    if (!openings.has(session)) openings.set(session, ask("before_agent_start", {}, context).advice);
    const opening = openings.get(session);
    if (opening) return { systemPrompt: event.systemPrompt + "\n\n" + opening };
  });
  pi.on("tool_call", async (event: any, context: any) => {
    const told = ask("tool_call", event, context);
    if (told.refusal) return { block: true, reason: told.refusal };
    if (told.advice) advice.set(event.toolCallId, told.advice);
  });
  pi.on("tool_result", async (event: any, context: any) => {
    const texts = [advice.get(event.toolCallId)];
    advice.delete(event.toolCallId);
    if (event.isError) texts.push(ask("tool_result", event, context).advice);
    const said = texts.filter(Boolean).map((text) => ({ type: "text", text }));
    if (said.length) return { content: [...event.content, ...said] };
  });
}
