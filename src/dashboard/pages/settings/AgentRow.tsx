import { useState } from "preact/hooks"
import { eventsByKey, type EventJson } from "../../api/events.ts"
import type { KeyJson } from "../../api/keys.ts"
import { useQuery } from "../../api/query.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { describeEvent } from "./events.ts"
import { MadeBy } from "./MadeBy.tsx"
import { describeScopes } from "./scopes.ts"
import { useRevokeKey } from "./useRevokeKey.tsx"

const EventLine = ({ event: { event } }: { readonly event: EventJson }) => {
  const words = describeEvent(event.type)
  const post = "post_id" in event.data && event.type !== "post.deleted" ? event.data.post_id : undefined
  return (
    <li class="agent-event">
      {typeof post === "string" ? <Link href={`/posts/${post}`}>{words}</Link> : <span>{words}</span>}
      <Time at={event.timestamp} />
    </li>
  )
}

const Lately = ({ agent: { id, name } }: { readonly agent: KeyJson }) => {
  const { data, error, isLoading, refetch } = useQuery(eventsByKey(id))
  return (
    <div class="agent-lately">
      {isLoading && (
        <>
          <Loading />
          <Skeleton height="line" lines={3} />
        </>
      )}
      <LoadError error={error} onRetry={refetch} />
      {data?.data.length === 0 && (
        <p class="secondary small">It has scheduled, asked for and deleted nothing in the last 90 days.</p>
      )}
      {data !== undefined && data.data.length > 0 && (
        <ul aria-label={`What ${name} did lately`}>
          {data.data.map((event) => (
            <EventLine key={event.id} event={event} />
          ))}
        </ul>
      )}
    </div>
  )
}

export const AgentRow = ({ agent }: { readonly agent: KeyJson }) => {
  const { created_by, id, last_used_at, name, requires_approval, rotated_at, scopes } = agent
  const [isOpen, setOpen] = useState(false)
  const { dialog, revoke } = useRevokeKey(agent)
  return (
    <li class="settings-row">
      <div class="settings-main">
        <p class="settings-name truncate" title={name}>
          {name}
        </p>
        <p class="secondary small">
          {describeScopes(scopes, requires_approval)}
          {requires_approval && " · a person approves its posts"}
        </p>
        <p class="secondary small">
          {last_used_at === null ? (
            "Never used"
          ) : (
            <>
              Used <Time at={last_used_at} as="sentence" />
            </>
          )}
          {rotated_at !== null && " · replaced by another key"}
          <MadeBy author={created_by} verb="Connected" />
        </p>
      </div>
      <div class="settings-actions">
        <Button
          size="small"
          aria-expanded={isOpen}
          aria-label={`What ${name} did lately`}
          onClick={() => {
            setOpen(!isOpen)
          }}
        >
          Lately
        </Button>
        <Link class="button button-secondary button-small" href={`/posts?by=${id}`} aria-label={`Posts of ${name}`}>
          Posts
        </Link>
        <Button size="small" aria-label={`Revoke ${name}`} onClick={() => void revoke()}>
          Revoke
        </Button>
      </div>
      {isOpen && <Lately agent={agent} />}
      {dialog}
    </li>
  )
}
