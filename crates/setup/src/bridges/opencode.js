// Lessons for opencode. Written by `lessons install --client opencode`; `lessons uninstall --client opencode` removes it.
// It only carries messages between opencode and this program, `lessons-hook --client opencode`.
import { spawnSync } from "node:child_process"

const PROGRAM = "@PROGRAM@"

export const Lessons = async ({ directory }) => {
  const advice = new Map() // by call: said beside the result
  const openings = new Map() // by session

  const ask = (message) => {
    const input = JSON.stringify({ cwd: directory, ...message })
    // A program that is missing, slow or silent stops nothing.
    const { stdout } = spawnSync(PROGRAM, ["--client", "opencode"], { input, encoding: "utf8", timeout: 5000 })
    try {
      return stdout ? JSON.parse(stdout) : {}
    } catch {
      return {}
    }
  }
  const call = (event, { sessionID, callID, tool }, args) => ({
    hook_event_name: event,
    session_id: sessionID,
    tool_use_id: callID,
    tool_name: tool,
    tool_input: args,
  })

  return {
    // Asked before every request, so the text is the same each time.
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      if (!sessionID) return
      if (!openings.has(sessionID)) {
        const start = { hook_event_name: "SessionStart", session_id: sessionID, source: "startup" }
        openings.set(sessionID, ask(start).advice)
      }
      if (openings.get(sessionID)) output.system.push(openings.get(sessionID))
    },
    "tool.execute.before": async (input, output) => {
      const told = ask(call("PreToolUse", input, output.args))
      if (told.refusal) throw new Error(told.refusal)
      if (told.advice) advice.set(input.callID, told.advice)
    },
    "tool.execute.after": async (input, output) => {
      const texts = [advice.get(input.callID)]
      advice.delete(input.callID)
      if (output.metadata?.exit) {
        const tool_response = { output: output.output, metadata: { exit: output.metadata.exit } }
        texts.push(ask({ ...call("PostToolUse", input, input.args), tool_response }).advice)
      }
      for (const text of texts) if (text) output.output += "\n\n" + text
    },
  }
}
