import { hasInvisible } from "../../../domain/plain/invisible.ts"
import { firstWords, type PostJson, type PostTargetJson } from "../../api/posts.ts"
import { postStatus, targetStatus } from "../../api/postStatus.ts"
import { UnsavedMark } from "../../shared/drafts/UnsavedMark.tsx"
import { Marked, useSearch } from "../../shared/filters/Marked.tsx"
import { Link, querySetter } from "../../shared/router.tsx"
import { PartsMark } from "../../shared/PartsMark.tsx"
import { PostPicture } from "../../shared/PostPicture.tsx"
import { sentLater } from "../../shared/sentLater.ts"
import { classes } from "../../ui/classes.ts"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { StatusBadge, statuses } from "../../ui/display/StatusBadge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { platformName } from "../../../domain/plain/platforms.ts"
import { MarkedText } from "../../ui/preview/MarkedText.tsx"
import { formatExact } from "../../ui/time/time.ts"
import { Time } from "../../ui/time/Time.tsx"

/** Pixels, as in posts.css. */
export const rowHeight = 52
export const narrowRowHeight = 92

const maxTags = 2

const Target = ({ target }: { readonly target: PostTargetJson }) => {
  const { integrations, platform_post_url: url } = target
  const status = targetStatus(target)
  const name = platformName(integrations.platform)
  if (url !== null) {
    return (
      <a class="posts-live" href={url} target="_blank" rel="noreferrer" title={`See it on ${name}`}>
        <PlatformMark platform={integrations.platform} size={12} />
        <Icon name="external" size={12} />
      </a>
    )
  }
  const isBad = status === "failed" || status === "unknown"
  return (
    <span class={classes("posts-target", `status-${status}`, isBad && "posts-target-bad")}>
      <PlatformMark platform={integrations.platform} size={12} />
      {isBad && (
        <>
          <Icon name={statuses[status].icon} size={12} />
          <span class="only-read">{statuses[status].word}</span>
        </>
      )}
    </span>
  )
}

const When = ({ post }: { readonly post: PostJson }) => {
  const later = sentLater(post)
  const at = later.length > 0 ? post.scheduled_at : (post.published_at ?? post.scheduled_at)
  if (at === null) return <>No time yet</>
  if (later.length === 0) return <Time at={at} />
  const words = later.map((sent) => `${sent.platform} ${formatExact(new Date(sent.at))}`).join(", ")
  return (
    <span class="posts-later" title={`Sent later: ${words}`}>
      <Icon name="clock" size={12} />
      <span class="only-read">Sent later: {words}. Planned for </span>
      <Time at={at} />
    </span>
  )
}

const Tags = ({ tags }: Pick<PostJson, "tags">) => (
  <span class="posts-tags">
    {tags.slice(0, maxTags).map((tag) => (
      <button
        key={tag}
        type="button"
        class="posts-tag-button truncate"
        title={`Posts with the tag ${tag}`}
        onClick={querySetter({ tag })}
      >
        #{hasInvisible(tag) ? <MarkedText text={tag} /> : <Marked text={tag} />}
      </button>
    ))}
    {tags.length > maxTags && <span title={tags.slice(maxTags).join(", ")}>+{tags.length - maxTags}</span>}
  </span>
)

export interface PostRowProps {
  readonly post: PostJson
  readonly index: number
  readonly count: number
  /** Undefined if the person can't select posts. */
  readonly isSelected: boolean | undefined
  readonly onSelect: (isRange: boolean) => void
}

export const PostRow = ({ count, index, isSelected, onSelect, post }: PostRowProps) => {
  const status = postStatus(post)
  const search = useSearch()
  const problem = post.post_targets.find((target) => target.status === "failed")?.error?.message
  return (
    <li
      class={classes("posts-row", `posts-row-${status}`, isSelected === true && "posts-row-selected")}
      aria-setsize={count}
      aria-posinset={index + 1}
      data-post={post.id}
    >
      {isSelected !== undefined && (
        <label class="posts-select">
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={`Select “${firstWords(post)}”`}
            onClick={(event) => onSelect(event.shiftKey)}
          />
        </label>
      )}
      <span class="posts-status">
        <StatusBadge status={status} />
        <UnsavedMark id={post.id} />
      </span>
      <span class="posts-text">
        <Link href={`/posts/${post.id}`} class="posts-link">
          <span class="posts-words truncate" dir="auto">
            <Marked text={search?.foundWords(post) ?? firstWords(post)} />
          </span>
        </Link>
        {problem !== undefined && <span class="posts-problem small truncate">{problem}</span>}
      </span>
      <PartsMark post={post} class="posts-parts" />
      <PostPicture post={post} class="posts-picture" />
      {post.tags.length > 0 && <Tags tags={post.tags} />}
      <span class="posts-targets">
        {post.post_targets.map((target) => (
          <Target key={target.integrations.platform} target={target} />
        ))}
      </span>
      <span class="posts-when">
        <When post={post} />
      </span>
    </li>
  )
}
