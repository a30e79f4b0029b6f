import { useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { describeFailure } from "../../api/errors.ts"
import { publishPost, resolveTarget } from "../../api/postActions.ts"
import type { PostJson, PostTargetJson } from "../../api/posts.ts"
import { isMissing, targetStatus } from "../../api/postStatus.ts"
import { invalidate, useMutation } from "../../api/query.ts"
import type { TargetAccount } from "../../shared/accounts/targetAccount.ts"
import { profileOf, useAccounts } from "../../shared/accounts/useAccounts.ts"
import { useCan } from "../../shared/me.ts"
import { Link } from "../../shared/router.tsx"
import { useCopy } from "../../shared/useCopy.ts"
import { TargetPreview } from "../../shared/TargetPreview.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { StatusBadge } from "../../ui/display/StatusBadge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { isLive, platformNames } from "../../../domain/plain/platforms.ts"
import { Time } from "../../ui/time/Time.tsx"
import { ResolveDialog } from "./ResolveDialog.tsx"
import { describeTargetProblem } from "./targetProblem.ts"

interface TargetProps {
  readonly post: PostJson
  readonly target: PostTargetJson
}

interface LiveTargetProps extends TargetProps {
  readonly platform: LivePlatform
}

const Publish = ({ post }: { readonly post: PostJson }) => {
  const publish = useMutation(() => publishPost(post), { invalidates: ["/v1/posts"] })
  const run = async () => {
    const outcome = await publish.run(undefined)
    if (!outcome.ok) toast(describeFailure(outcome.error), { tone: "error" })
  }
  return (
    <Button size="small" kind="primary" busy={publish.isPending} onClick={() => void run()}>
      Publish what is missing
    </Button>
  )
}

const CopyMissing = ({ isMain, post }: { readonly post: PostJson; readonly isMain: boolean }) => {
  const { copyMissing, isPending } = useCopy()
  if (copyMissing === undefined) return null
  const platforms = post.post_targets.filter(isMissing).map(({ integrations }) => integrations.platform)
  return (
    <Button
      size="small"
      kind={isMain ? "primary" : "secondary"}
      icon="copy"
      busy={isPending}
      onClick={() => void copyMissing(post, platforms)}
    >
      Copy what is missing to a draft
    </Button>
  )
}

/** Says why a target failed, and which copy goes out in place of it. */
const Copied = ({ id, text }: { readonly id: string; readonly text: string }) => (
  <div class="post-problem status-failed">
    <p>{text}</p>
    <p>A copy has taken its place, so it is not published again here.</p>
    <div class="post-steps">
      <Link class="button button-secondary button-small" href={`/posts/${encodeURIComponent(id)}`}>
        See the copy
      </Link>
    </div>
  </div>
)

const Resolve = ({ platform, post }: LiveTargetProps) => {
  const [isOpen, setOpen] = useState(false)
  const resolve = useMutation(() => resolveTarget(post.id, platform, { outcome: "not_published" }), {
    invalidates: ["/v1/posts"]
  })
  const again = async () => {
    const outcome = await resolve.run(undefined)
    if (!outcome.ok) {
      toast(describeFailure(outcome.error), { tone: "error" })
      return
    }
    const { data } = outcome.data
    if (data.status !== "failed") return
    const published = await publishPost(data)
    invalidate("/v1/posts")
    if (!published.ok) toast(describeFailure(published.error), { tone: "error" })
  }
  return (
    <>
      <Button size="small" kind="primary" busy={resolve.isPending} onClick={() => void again()}>
        I looked: publish again
      </Button>
      <Button
        size="small"
        onClick={() => {
          setOpen(true)
        }}
      >
        It is out
      </Button>
      {isOpen && (
        <ResolveDialog
          post={post}
          platform={platform}
          onClose={() => {
            setOpen(false)
          }}
        />
      )}
    </>
  )
}

const describeAccount = (of: TargetAccount): string =>
  of.kind === "connected"
    ? `@${of.account.username}`
    : of.kind === "former"
      ? "the account that was connected then"
      : "the account"

const Problem = ({ platform, post, target }: LiveTargetProps) => {
  const can = useCan()
  const accounts = useAccounts()
  const of = accounts.of(target)
  const account = of.kind === "connected" ? of.account : undefined
  const problem = describeTargetProblem(target, {
    platform: platformNames[platform],
    account: describeAccount(of)
  })
  if (problem === undefined) return null
  if (target.copied_to !== null) return <Copied id={target.copied_to} text={problem.text} />
  const { mayBeOut, step, text } = problem
  // Publishing again takes all that is missing, so a person says first what became of what may be out.
  const hasUnknown = post.post_targets.some((other) => targetStatus(other) === "unknown")
  const mayPublish = can("posts:publish") && !hasUnknown
  const isConnected = accounts.find(platform)?.status === "connected"
  return (
    <div class={`post-problem status-${targetStatus(target)}`}>
      <p>{text}</p>
      <div class="post-steps">
        {mayBeOut && account !== undefined && (
          <a class="button button-secondary button-small" href={profileOf(account)} target="_blank" rel="noreferrer">
            <Icon name="external" />
            Look at @{account.username}
          </a>
        )}
        {mayBeOut && can("posts:publish") && <Resolve post={post} target={target} platform={platform} />}
        {(step === "publish" || (step === "reconnect" && isConnected)) && mayPublish && <Publish post={post} />}
        {isMissing(target) && <CopyMissing post={post} isMain={step === "none"} />}
        {step === "reconnect" && !isConnected && can("integrations:write") && (
          <Link class="button button-primary button-small" href="/accounts">
            Reconnect
          </Link>
        )}
      </div>
    </div>
  )
}

/** Says ahead of time that a target can't go out. */
const Stuck = ({ platform, target }: Omit<LiveTargetProps, "post">) => {
  const can = useCan()
  const { find, isStuck } = useAccounts()
  if (!isStuck(target)) return null
  return (
    <div class="post-problem status-failed">
      <p>No account on {platformNames[platform]} is connected. Without one this fails at its time.</p>
      {can("integrations:write") && (
        <div class="post-steps">
          <Link class="button button-primary button-small" href="/accounts">
            {find(platform) === undefined ? "Connect" : "Reconnect"}
          </Link>
        </div>
      )}
    </div>
  )
}

const LiveTarget = ({ platform, post, target }: LiveTargetProps) => (
  <TargetPreview
    post={post}
    platform={platform}
    aside={
      post.status === "draft" || post.status === "scheduled" ? undefined : <StatusBadge status={targetStatus(target)} />
    }
  >
    {post.status === "scheduled" && <Stuck target={target} platform={platform} />}
    {target.status === "published" ? (
      <p class="post-live">
        {target.published_at !== null && (
          <span class="secondary">
            Published <Time at={target.published_at} as="sentence" />
          </span>
        )}
        {target.platform_post_url !== null && (
          <a href={target.platform_post_url} target="_blank" rel="noreferrer">
            View on {platformNames[platform]} <Icon name="external" size={12} />
          </a>
        )}
      </p>
    ) : (
      target.error !== null && <Problem post={post} target={target} platform={platform} />
    )}
  </TargetPreview>
)

/** A post on one of its platforms: what is sent, what became of it, and the step that helps. */
export const TargetCard = ({ post, target }: TargetProps) => {
  const { platform } = target.integrations
  return isLive(platform) ? <LiveTarget post={post} target={target} platform={platform} /> : null
}
