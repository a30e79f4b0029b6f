import { useEffect, useMemo, useRef } from "preact/hooks"
import { postHistory } from "../../api/history.ts"
import type { PostJson } from "../../api/posts.ts"
import { useQuery } from "../../api/query.ts"
import { Skeleton } from "../../ui/display/Skeleton.tsx"
import { statuses } from "../../ui/display/StatusBadge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { describeHistory, type FormerText } from "./history.ts"

const FormerTexts = ({ texts }: { readonly texts: ReadonlyArray<FormerText> }) => (
  <details class="post-former">
    <summary>The text before</summary>
    {texts.map(({ platform, text }) => (
      <blockquote key={platform} lang="und" dir="auto">
        {platform !== undefined && <strong>{platform}: </strong>}
        {text}
      </blockquote>
    ))}
  </details>
)

export const PostHistory = ({ post }: { readonly post: PostJson }) => {
  const { data, refetch } = useQuery(postHistory(post.id))
  const state = useMemo(() => JSON.stringify([post.status, post.revision, post.approval, post.post_targets]), [post])
  const loadedFor = useRef(state)
  useEffect(() => {
    if (loadedFor.current === state) return
    loadedFor.current = state
    refetch()
  }, [state])
  return (
    <section class="post-section" aria-label="History">
      <h2>History</h2>
      {data === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <ol class="post-history">
          {describeHistory(post, data).map(({ at, before, id, reason, status, text, until, url }) => (
            <li key={id} class={`post-event status-${status}`}>
              <Icon name={statuses[status].icon} size={14} />
              <span class="post-event-text">
                {text}
                {reason !== undefined && (
                  <>
                    : <bdi>{reason}</bdi>
                  </>
                )}
                {until !== undefined && (
                  <>
                    {" "}
                    <Time at={until} as="fixed" />
                  </>
                )}
                {url !== undefined && (
                  <>
                    {" · "}
                    <a href={url} target="_blank" rel="noreferrer">
                      View
                    </a>
                  </>
                )}
                {before !== undefined && <FormerTexts texts={before} />}
              </span>
              <span class="secondary small">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
