import { Result } from "effect"
import type { Issue } from "../errors.ts"
import type { Library } from "../media/mediaPlan.ts"
import { planPublish } from "../posts/postPlan.ts"
import type { Rules } from "../posts/platformRules.ts"
import type { DuePost } from "./duePost.ts"
import type { Finding, FindingCode } from "./finding.ts"

const helps = {
  platform_disabled: "Remove the platform from the post, or ask the operator of the service to enable it",
  file_missing: "Upload the file again, or remove it from the post",
  file_processing: "Wait until the file is ready, or use another file",
  file_refused: "Use another file, or remove the platform from the post",
  setting_refused: "Change the setting",
  text_refused: "Change the text"
} as const satisfies Partial<Record<FindingCode, string>>
type RuleCode = keyof typeof helps

const codeOf = ({ code, path }: Issue): RuleCode => {
  if (code === "platform_in_review" || code === "file_processing" || code === "setting_refused") {
    return code === "platform_in_review" ? "platform_disabled" : code
  }
  if (path[0] === "platform_settings") return "setting_refused"
  if (!path.includes("media")) return "text_refused"
  return code === undefined && path.at(-1) === "id" ? "file_missing" : "file_refused"
}

const platformIn = (issue: Issue): Finding["platform"] =>
  "facts" in issue && issue.facts !== undefined && "platform" in issue.facts ? issue.facts.platform : null

/** The reasons for which publishing the post now would be refused, by today's rules and with its files as they are. */
export const findRuleFaults = (rules: Rules, post: DuePost, library: Library): ReadonlyArray<Finding> => {
  const planned = planPublish(rules, post, library)
  if (Result.isSuccess(planned)) return []
  const issues: ReadonlyArray<Issue> =
    planned.failure._tag === "InvalidState" ? [{ path: [], message: planned.failure.message }] : planned.failure.errors
  return issues.map((issue) => {
    const code = codeOf(issue)
    return {
      code,
      level: "needs_you",
      message: issue.message,
      help: helps[code],
      platform: platformIn(issue),
      integration_id: null
    }
  })
}
