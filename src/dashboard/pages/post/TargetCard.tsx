import type { LivePlatform } from "../../../domain/platform.ts"
import { withPeriod } from "../../api/errors.ts"
import type { IntegrationJson } from "../../api/integrations.ts"
import type { PostJson, PostTargetJson } from "../../api/posts.ts"
import { isMissing, isOpen, isSomewhereOut, targetStatus } from "../../api/postStatus.ts"
import type { TargetAccount } from "../../shared/accounts/targetAccount.ts"
import { askMissing, publish } from "../../shared/actions/publish.ts"
import { useCopy } from "../../shared/actions/useCopy.ts"
import { useRun } from "../../shared/actions/useRun.ts"
import { useAccounts } from "../../shared/accounts/useAccounts.ts"
import { useCan } from "../../shared/me.ts"
import { Link } from "../../shared/router.tsx"
import { TargetPreview, TargetPreviews } from "../../shared/TargetPreview.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { StatusBadge } from "../../ui/display/StatusBadge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { accountName, isLive, platformName } from "../../../domain/plain/platforms.ts"
import { Time } from "../../ui/time/Time.tsx"
import { useSwitch } from "../../ui/useOpen.ts"
import { CopiedTarget } from "./CopiedTarget.tsx"
import { LookAt } from "./LookAt.tsx"
import { PublishAgainDialog } from "./PublishAgainDialog.tsx"
import { ResolveDialog } from "./ResolveDialog.tsx"
import { describeTargetProblem } from "./targetProblem.ts"
import { cursorOf, describeAmountOut, isHalfSent, nameRetry, platformsToCopy } from "../../shared/threadState.ts"

interface TargetProps {
  readonly post: PostJson
  readonly target: PostTargetJson
}

interface LiveTargetProps extends TargetProps {
  readonly platform: LivePlatform
}

interface PublishProps {
  readonly post: PostJson
  readonly isMain: boolean
  readonly label: string
}

const Publish = ({ isMain, label, post }: PublishProps) => {
  const { run, running } = useRun()
  const { confirm, dialog } = useConfirm()
  const publishMissing = async () => {
    if (await confirm(askMissing(post))) await run(publish, post)
  }
  return (
    <>
      <Button
        size="small"
        kind={isMain ? "primary" : "secondary"}
        busy={running !== undefined}
        onClick={() => void publishMissing()}
      >
        {label}
      </Button>
      {dialog}
    </>
  )
}

const CopyMissing = ({ isMain, post, target }: TargetProps & { readonly isMain: boolean }) => {
  const { copy, isPending } = useCopy()
  if (copy === undefined) return null
  return (
    <Button
      size="small"
      kind={isMain ? "primary" : "secondary"}
      icon="copy"
      busy={isPending}
      onClick={() => void copy(post, { what: "missing", platforms: platformsToCopy(post, target) })}
    >
      {isHalfSent(target) ? "Move the rest to a new draft" : "Copy what is missing to a draft"}
    </Button>
  )
}

interface ResolveProps extends LiveTargetProps {
  readonly account: IntegrationJson | undefined
}

/** The first step is a look at the account. Both answers ask once more. */
const Resolve = ({ account, platform, post, target }: ResolveProps) => {
  const cursor = cursorOf(target)
  const asking = useSwitch()
  const askingAgain = useSwitch()
  const shared = { post, platform, cursor }
  return (
    <>
      <Button size="small" onClick={asking.turnOn}>
        {cursor?.part === undefined ? "It is out" : `Part ${cursor.part} is out`}
      </Button>
      <Button size="small" onClick={askingAgain.turnOn}>
        {cursor?.part === undefined ? "I looked: publish again" : `I looked: send part ${cursor.part} again`}
      </Button>
      {asking.isOn && <ResolveDialog {...shared} onClose={asking.turnOff} />}
      {askingAgain.isOn && <PublishAgainDialog {...shared} account={account} onClose={askingAgain.turnOff} />}
    </>
  )
}

const describeAccount = (of: TargetAccount): string =>
  of.kind === "connected"
    ? accountName(of.account.platform, of.account.username)
    : of.kind === "former"
      ? "the account that was connected then"
      : "the account"

const Problem = ({ platform, post, target }: LiveTargetProps) => {
  const can = useCan()
  const accounts = useAccounts()
  const of = accounts.of(target)
  const account = of.kind === "connected" ? of.account : undefined
  const problem = describeTargetProblem(target, {
    platform: platformName(platform),
    account: describeAccount(of)
  })
  if (problem === undefined) return null
  if (target.copied_to !== null && target.error !== null) {
    // No advice, because the copy has replaced this target.
    const text = withPeriod(target.error.message)
    return <CopiedTarget id={target.copied_to} text={text} post={post} target={target} platform={platform} />
  }
  const { mayBeOut, step, text } = problem
  // Publishing again sends everything unpublished, so unknown outcomes have to be resolved first.
  const hasUnknown = post.post_targets.some((other) => targetStatus(other) === "unknown")
  const mayPublish = can("posts:publish") && !hasUnknown
  const isConnected = accounts.find(platform)?.status === "connected"
  const cursor = cursorOf(target)
  const isHalf = isHalfSent(target) && target.status === "failed" && !mayBeOut
  const isAlone = post.post_targets.filter(isMissing).length === 1
  const label =
    isHalf && isAlone && cursor !== undefined && target.error !== null
      ? nameRetry(cursor, target.error)
      : "Publish what is missing"
  return (
    <div class={`post-problem status-${targetStatus(target)}`}>
      <p>{text}</p>
      <div class="post-steps">
        {mayBeOut && account !== undefined && <LookAt account={account} isMain />}
        {mayBeOut && can("posts:publish") && (
          <Resolve post={post} target={target} platform={platform} account={account} />
        )}
        {(step === "publish" || (step === "reconnect" && isConnected) || (isHalf && step === "none")) && mayPublish && (
          <Publish post={post} label={label} isMain={step !== "none"} />
        )}
        {isMissing(target) && <CopyMissing post={post} target={target} isMain={step === "none"} />}
        {step === "reconnect" && !isConnected && can("integrations:write") && (
          <Link
            class={`button button-small button-${mayBeOut && account !== undefined ? "secondary" : "primary"}`}
            href="/accounts"
          >
            Reconnect
          </Link>
        )}
      </div>
    </div>
  )
}

/** Says that the platform still processes the post, so that nobody sends it again. */
const Processed = ({ platform, target }: Omit<LiveTargetProps, "post">) =>
  target.processing_since === undefined ? null : (
    <p class="secondary">
      {platformName(platform)} began to process this <Time at={target.processing_since} as="sentence" />, and publishes
      it when that is done.
    </p>
  )

const Stuck = ({ platform, target }: Omit<LiveTargetProps, "post">) => {
  const can = useCan()
  const { find, isStuck, of } = useAccounts()
  const connected = find(platform)
  const isOfOther = target.status === "pending" && of(target).kind === "former"
  if (!isOfOther && !isStuck(target)) return null
  return (
    <div class="post-problem status-failed">
      <p>
        {isOfOther
          ? `This belongs to another account on ${platformName(platform)}, not to ${accountName(platform, connected?.username ?? "")}. Connect its own account again, or it fails at its time.`
          : `No account on ${platformName(platform)} is connected. Without one this fails at its time.`}
      </p>
      {can("integrations:write") && (
        <div class="post-steps">
          <Link class="button button-primary button-small" href="/accounts">
            {isOfOther ? "Accounts" : connected === undefined ? "Connect" : "Reconnect"}
          </Link>
        </div>
      )}
    </div>
  )
}

/** True if an error postponed a scheduled post. */
const isPutOff = (post: PostJson, { error, status }: PostTargetJson): boolean =>
  post.status === "scheduled" && status === "pending" && error !== null

const PartState = ({ platform, place, post, target }: LiveTargetProps & { readonly place: number }) => {
  const part = target.parts?.[place]
  if (part === undefined) return null
  const { error, part: number, platform_post_url: url, status } = part
  if (status === "pending" && error === null) {
    const isNext = target.parts?.[place - 1]?.status === "published"
    return (
      <p class="secondary small">
        {target.status === "failed" || post.status === "draft"
          ? "Not sent"
          : isNext
            ? "Is next"
            : "Waits for the part before it"}
      </p>
    )
  }
  return (
    <p class="post-live">
      {target.status !== "published" && <StatusBadge status={targetStatus({ error, status })} />}
      {url !== null && (
        <a href={url} target="_blank" rel="noreferrer" aria-label={`View part ${number} on ${platformName(platform)}`}>
          View <Icon name="external" size={12} />
        </a>
      )}
    </p>
  )
}

const TargetState = ({ post, target }: TargetProps) => {
  const cursor = cursorOf(target)
  const waits = isOpen(post) && target.status === "pending" && !isPutOff(post, target)
  const status = waits ? post.status : targetStatus(target)
  const isUnderWay = status === "publishing" || status === "retrying"
  return (
    <span class="post-state">
      {waits && isHalfSent(target) && <span class="secondary small">{describeAmountOut(target)}</span>}
      {isUnderWay && cursor?.part !== undefined && (
        <span class="secondary small">
          Part {cursor.part} of {cursor.parts}
        </span>
      )}
      <StatusBadge status={status} />
    </span>
  )
}

const Live = ({ platform, target }: Omit<LiveTargetProps, "post">) => (
  <p class="post-live">
    {target.published_at !== null && (
      <span class="secondary">
        Published <Time at={target.published_at} as="sentence" />
        {target.platform_post_url === null && `, at an address that ${platformName(platform)} has not reported`}
      </span>
    )}
    {target.platform_post_url !== null && (
      <a href={target.platform_post_url} target="_blank" rel="noreferrer">
        View on {platformName(platform)} <Icon name="external" size={12} />
      </a>
    )}
  </p>
)

const LiveTarget = ({ platform, post, target }: LiveTargetProps) => {
  const hasState = !isOpen(post) || isSomewhereOut(post) || isPutOff(post, target)
  const isThread = cursorOf(target) !== undefined
  const problem = target.status !== "published" && target.error !== null && (
    <Problem post={post} target={target} platform={platform} />
  )
  return (
    <TargetPreview
      post={post}
      platform={platform}
      aside={hasState ? <TargetState post={post} target={target} /> : undefined}
      // Shown at the top, because below a long thread nobody would see the next steps.
      notice={isThread && problem}
      {...(hasState &&
        isThread && {
          foot: (place: number) => <PartState post={post} target={target} platform={platform} place={place} />
        })}
    >
      {post.status === "scheduled" && <Stuck target={target} platform={platform} />}
      <Processed target={target} platform={platform} />
      {target.status === "published" ? <Live target={target} platform={platform} /> : !isThread && problem}
    </TargetPreview>
  )
}

const TargetCard = ({ post, target }: TargetProps) => {
  const { platform } = target.integrations
  return isLive(platform) ? <LiveTarget post={post} target={target} platform={platform} /> : null
}

/** The targets of a post. While they only wait for their time, equal previews are shown once. */
export const TargetCards = ({ post }: { readonly post: PostJson }) => {
  const { isStuck, of } = useAccounts()
  const isPlain = (target: PostTargetJson): boolean =>
    !isPutOff(post, target) && !(post.status === "scheduled" && (isStuck(target) || of(target).kind === "former"))
  if (isOpen(post) && !isSomewhereOut(post) && post.post_targets.every(isPlain)) return <TargetPreviews post={post} />
  return (
    <>
      {post.post_targets.map((target) => (
        <TargetCard key={target.integrations.platform} post={post} target={target} />
      ))}
    </>
  )
}
