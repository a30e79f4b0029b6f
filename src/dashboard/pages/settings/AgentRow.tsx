import { eventsByKey, type EventJson } from "../../api/events.ts"
import type { KeyJson } from "../../api/keys.ts"
import { useQuery } from "../../api/query.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { useSwitch } from "../../ui/useOpen.ts"
import { describeEvent } from "./events.ts"
import { revoke } from "./KeyRow.tsx"
import { describeScopes } from "./scopes.ts"
import { LastUse, MadeBy, SettingsRow } from "./SettingsRow.tsx"

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

const Activity = ({ agent: { id, name } }: { readonly agent: KeyJson }) => {
  const list = useQuery(eventsByKey(id))
  const events = list.data?.data
  return (
    <div class="agent-activity">
      <LoadState of={list} lines={3} />
      {events?.length === 0 && <p class="secondary small">No activity in the last 90 days.</p>}
      {events !== undefined && events.length > 0 && (
        <ul aria-label={`Activity of ${name}`}>
          {events.map((event) => (
            <EventLine key={event.id} event={event} />
          ))}
        </ul>
      )}
    </div>
  )
}

export const AgentRow = ({ agent }: { readonly agent: KeyJson }) => {
  const { created_by, id, last_used_at, name, requires_approval, rotated_at, scopes } = agent
  const activity = useSwitch()
  const { confirm, dialog } = useConfirm()
  return (
    <SettingsRow
      name={name}
      title={name}
      facts={[
        <>
          {describeScopes(scopes, requires_approval)}
          {requires_approval && " · a person approves its posts"}
        </>,
        <>
          <LastUse at={last_used_at} />
          {rotated_at !== null && " · replaced by another key"}
          <MadeBy author={created_by} verb="Connected" />
        </>
      ]}
    >
      <div class="settings-actions">
        <Button size="small" aria-expanded={activity.isOn} aria-label={`Activity of ${name}`} onClick={activity.toggle}>
          Activity
        </Button>
        <Link class="button button-secondary button-small" href={`/posts?by=${id}`} aria-label={`Posts of ${name}`}>
          Posts
        </Link>
        <Button size="small" aria-label={`Revoke ${name}`} onClick={() => void revoke(agent, confirm)}>
          Revoke
        </Button>
      </div>
      {activity.isOn && <Activity agent={agent} />}
      {dialog}
    </SettingsRow>
  )
}
