import { Schema } from "effect"

export const MailStatus = Schema.Literals(["pending", "sent", "failed", "dropped"]).annotate({
  title: "MailStatus",
  description:
    "`pending`: it waits, is being sent, or is tried again. `sent`: the mail server has accepted it. `failed`: it was given up. `dropped`: nobody needed it any more when it was due.",
  examples: ["sent"]
})
export type MailStatus = typeof MailStatus.Type

/** Deliveries on a page of the log, by default. */
export const defaultMailLimit = 50
