import { hasStatus } from "../../api/errors.ts"
import { endOtherSessions, endSession, openSessions, type SessionJson } from "../../api/profile.ts"
import { useMutation, useQuery } from "../../api/query.ts"
import { useMe } from "../../shared/me.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { sayFailure } from "../../shared/report.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { describeBrowser } from "./describeBrowser.ts"
import { SettingsRow } from "./SettingsRow.tsx"

const invalidates = ["/v1/session/sessions"]

const SessionRow = ({ session }: { readonly session: SessionJson }) => {
  const { created_at, current, expires_at, id, user_agent, workspace } = session
  const isElsewhere = useMe().workspace.id !== workspace.id
  const { isPending, run } = useMutation(() => endSession(id), { invalidates })
  const name = describeBrowser(user_agent)
  const end = async () => {
    const outcome = await run(undefined)
    const hasEnded = outcome.ok || hasStatus(outcome.error, 404)
    if (hasEnded) toast(`The session with ${name} has ended`, { tone: "success", about: id })
    else sayFailure(outcome.error, id)
  }
  return (
    <SettingsRow
      name={
        <>
          {name}
          {current && <span class="secondary"> (this one)</span>}
        </>
      }
      title={user_agent ?? undefined}
      facts={[
        <>
          Since <Time at={created_at} as="fixed" />, until <Time at={expires_at} as="fixed" />
          {isElsewhere && ` · in ${workspace.name}`}
        </>
      ]}
    >
      {!current && (
        <Button kind="quiet" busy={isPending} aria-label={`End the session with ${name}`} onClick={() => void end()}>
          End
        </Button>
      )}
    </SettingsRow>
  )
}

/** The person's sessions in all workspaces. */
export const SessionRows = () => {
  const list = useQuery(openSessions)
  const { isPending, run } = useMutation(endOtherSessions, { invalidates })
  const sessions = list.data?.data ?? []
  const endOthers = async () => {
    const outcome = await run(undefined)
    if (!outcome.ok) return sayFailure(outcome.error, openSessions.path)
    const { ended } = outcome.data.data
    toast(`${ended === 1 ? "One session has" : `${ended} sessions have`} ended`, {
      tone: "success",
      about: openSessions.path
    })
  }
  return (
    <>
      <LoadState of={list} height="row" lines={2} />
      {sessions.length > 0 && (
        <ul class="settings-list" aria-label="Sessions">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      {sessions.length > 1 && (
        <Button class="settings-more" busy={isPending} onClick={() => void endOthers()}>
          End all others
        </Button>
      )}
    </>
  )
}
