import { useRef, useState } from "preact/hooks"
import type { PostJson } from "../../api/posts.ts"
import { TargetPreview } from "../../app/TargetPreview.tsx"
import { Link } from "../../app/router.tsx"
import { useCan } from "../../app/session.tsx"
import { useShortcut } from "../../app/shortcuts.tsx"
import { Button } from "../../ui/Button.tsx"
import { classes } from "../../ui/classes.ts"
import { Icon } from "../../ui/Icon.tsx"
import { isLive } from "../../ui/livePlatforms.ts"
import { platformNames } from "../../ui/PlatformMark.tsx"
import { TextDiff } from "../../ui/TextDiff.tsx"
import { Time, useNow } from "../../ui/Time.tsx"
import { changedTexts, type TextChange } from "./changes.ts"
import { useDecision } from "./useDecision.tsx"

const Changes = ({ changes, title }: { readonly changes: ReadonlyArray<TextChange>; readonly title: string }) => (
  <section class="approval-changes" aria-label={title}>
    <h3>{title}</h3>
    {changes.map(({ after, before, platform }) => (
      <div key={platform} class="approval-change">
        {platform !== undefined && <span class="secondary small">On {platformNames[platform]}</span>}
        <TextDiff before={before} after={after} />
      </div>
    ))}
  </section>
)

const When = ({ post }: { readonly post: PostJson }) => {
  const now = useNow()
  if (post.scheduled_at === null) return <>Without a time</>
  return new Date(post.scheduled_at) < now ? (
    <>
      Was planned for <Time at={post.scheduled_at} as="sentence" />
    </>
  ) : (
    <>
      Goes out <Time at={post.scheduled_at} as="sentence" />
    </>
  )
}

export interface ApprovalCardProps {
  /** As it is by now. */
  readonly post: PostJson
  /** Whether the shortcuts decide on it. */
  readonly isCurrent: boolean
  readonly onFocus: () => void
  readonly onConflict: () => void
  /** The person is done with it. */
  readonly onDecided: () => void
}

/** A post that waits for approval: exactly what will be sent, what has changed, and who asks. */
export const ApprovalCard = ({ isCurrent, onConflict, onDecided, onFocus, post }: ApprovalCardProps) => {
  const can = useCan()
  /** What the person has read. It stays when the post changes behind their back, until they say that they have seen it. */
  const [read, setRead] = useState(post)
  const card = useRef<HTMLElement>(null)
  const isChanged = post.revision !== read.revision
  const isDraft = post.status === "draft"
  const decision = useDecision(read, { onConflict, onDecided })
  const canDecide = can("posts:publish") && isDraft
  const isActive = isCurrent && canDecide && !isChanged
  useShortcut({ keys: "a", label: "Approve", group: "Approvals" }, isActive ? decision.approve : undefined)
  useShortcut({ keys: "r", label: "Reject", group: "Approvals" }, isActive ? decision.startRejecting : undefined)

  const earlier = isChanged ? [] : changedTexts(read.approval?.requested ?? null, read)
  const meanwhile = isChanged ? changedTexts(read, post) : []
  const requestedAt = read.approval?.requested_at ?? null
  return (
    <article
      ref={card}
      class={classes("approval", isCurrent && "approval-current")}
      aria-label={`Post by ${post.created_by?.name ?? "somebody"}`}
      onFocusCapture={onFocus}
      onPointerDown={onFocus}
    >
      <header class="approval-head">
        <div class="approval-heading">
          <h2>
            <When post={post} />
          </h2>
          <p class="secondary small">
            {post.created_by === null ? "Asked" : `${post.created_by.name} asks`}
            {requestedAt !== null && (
              <>
                {" · "}
                <Time at={requestedAt} as="sentence" />
              </>
            )}
            {post.tags.length > 0 && ` · Tags: ${post.tags.join(", ")}`}
          </p>
        </div>
        <Link class="button button-quiet button-small" href={`/posts/${encodeURIComponent(post.id)}`}>
          Open
        </Link>
      </header>
      {isChanged && (
        <div class="approval-changed" role="alert">
          <p>
            <Icon name="warning" />
            <span>
              {isDraft
                ? "The post was changed after you read it. Nothing was decided. Read what it is by now, then decide again."
                : "The post was changed after you read it, and is no draft by now. There is nothing to decide."}
            </span>
          </p>
        </div>
      )}
      {meanwhile.length > 0 && <Changes title="Changed since you read it" changes={meanwhile} />}
      {earlier.length > 0 && <Changes title="Changed since the last request" changes={earlier} />}
      <div class="approval-targets">
        {post.post_targets.map(({ integrations: { platform } }) =>
          isLive(platform) ? <TargetPreview key={platform} post={post} platform={platform} /> : null
        )}
      </div>
      {canDecide && (
        <footer class="approval-foot">
          {isChanged ? (
            <Button
              kind="primary"
              onClick={() => {
                setRead(post)
              }}
            >
              I read this version
            </Button>
          ) : (
            <>
              <Button kind="primary" icon="check" busy={decision.isPending} onClick={decision.approve}>
                Approve
              </Button>
              <Button icon="clock" onClick={decision.chooseTime}>
                Another time
              </Button>
              <Button onClick={decision.startRejecting}>Reject</Button>
            </>
          )}
          {can("posts:write") && (
            <Link class="button button-quiet approval-edit" href={`/compose?post=${encodeURIComponent(post.id)}`}>
              <Icon name="pencil" />
              Edit
            </Link>
          )}
        </footer>
      )}
      {isChanged && !isDraft && (
        <footer class="approval-foot">
          <Button onClick={onDecided}>Done</Button>
        </footer>
      )}
      {decision.dialog}
    </article>
  )
}
