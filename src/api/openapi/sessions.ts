import type { Dictionary } from "./dictionary.ts"
import { userId, workspaceId } from "./samples.ts"

const session = {
  user_id: userId,
  email: "ada@acme.example",
  workspace_id: workspaceId,
  expires_at: "2030-02-14T09:00:00.000Z"
}

/** What the reference says of sessions. */
export const sessions: Dictionary = {
  LogIn: {
    description: "Who logs in.",
    members: {
      email: "The user's email address.",
      password: "The user's password.",
      workspace_id: "The workspace to work in: without it, the one that the user joined first."
    },
    examples: { logIn: { email: session.email, password: "a long and secret sentence" } }
  },
  Session: {
    description: "A person's access to one workspace.",
    members: {
      user_id: "The user.",
      email: "The user's email address.",
      workspace_id: "The workspace that it is in.",
      expires_at: "When it ends, unless it is ended before."
    },
    examples: { session }
  },
  OneSession: {
    description: "The session was opened; `Set-Cookie` has its cookie.",
    examples: { opened: { data: session } }
  },
  EndedSession: {
    description: "The session was ended; `Set-Cookie` takes its cookie back.",
    members: { data: "What was ended.", "data.deleted": "Always true." },
    examples: { ended: { data: { deleted: true } } }
  }
}
