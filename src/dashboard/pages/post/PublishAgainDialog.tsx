import type { LivePlatform } from "../../../domain/platform.ts"
import { platformName } from "../../../domain/plain/platforms.ts"
import { chainOf } from "../../api/chain.ts"
import { type HistoryEntry, postHistory } from "../../api/history.ts"
import type { IntegrationJson } from "../../api/integrations.ts"
import { resolveTarget } from "../../api/postActions.ts"
import type { PostJson } from "../../api/posts.ts"
import { useMutation, useQuery } from "../../api/query.ts"
import { describeOne } from "../../shared/actions/send.ts"
import type { Cursor } from "../../shared/threadState.ts"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { LookAt } from "./LookAt.tsx"

export interface PublishAgainDialogProps {
  readonly post: PostJson
  readonly platform: LivePlatform
  readonly cursor: Cursor | undefined
  /** Undefined if the account that sent the post is not connected. */
  readonly account: IntegrationJson | undefined
  readonly onClose: () => void
}

/** The time at which the service gave up finding out if the post is published. */
const doubtOf = (history: ReadonlyArray<HistoryEntry>, platform: LivePlatform): string | undefined =>
  history.find(
    ({ event: { data, type } }) => type === "post.target.failed" && "platform" in data && data.platform === platform
  )?.event.timestamp

/** Asks once before a post that may be published is sent again. */
export const PublishAgainDialog = ({ account, cursor, onClose, platform, post }: PublishAgainDialogProps) => {
  const { data } = useQuery(postHistory(post.id))
  const again = useMutation(() => resolveTarget(post, platform, { outcome: "not_published", publish_again: true }), {
    invalidates: ["/v1/posts"]
  })
  const name = platformName(platform)
  const what = cursor?.part === undefined ? "it" : `part ${cursor.part}`
  const at = doubtOf(data?.data ?? [], platform) ?? post.scheduled_at
  const text = chainOf(post, platform)[(cursor?.part ?? 1) - 1]?.text ?? ""
  const submit = async () => {
    const outcome = await again.run(undefined)
    if (!outcome.ok) return
    toast(`It goes out on ${name} now, unless ${name} shows it after all`, { tone: "success" })
    onClose()
  }
  return (
    <FormDialog
      title={cursor?.part === undefined ? `Publish on ${name} again?` : `Send part ${cursor.part} to ${name} again?`}
      action="It isn’t there: publish again"
      onSubmit={() => void submit()}
      onClose={onClose}
      busy={again.isPending}
      problem={again.error && describeOne({ post }, { error: again.error })}
    >
      {text !== "" && (
        <blockquote class="post-again" dir="auto" lang="und">
          {text}
        </blockquote>
      )}
      <p>
        {name} did not confirm {what}
        {at !== null && (
          <>
            {" "}
            (<Time at={at} as="fixed" />)
          </>
        )}
        . The service looks once more, and sends {what} only if it does not find it. If {what} is out and {name} does
        not show it yet, people see it twice. That can’t be undone here.
      </p>
      {account !== undefined && (
        <p>
          <LookAt account={account} />
        </p>
      )}
    </FormDialog>
  )
}
