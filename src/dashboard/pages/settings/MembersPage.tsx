import { invites, members } from "../../api/members.ts"
import { useQuery } from "../../api/query.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { useSwitch } from "../../ui/useOpen.ts"
import { InviteDialog } from "./InviteDialog.tsx"
import { InviteRow, MemberRow } from "./MemberRows.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"

export const Page = () => {
  const people = useQuery(members)
  const waiting = useQuery(invites)
  const inviting = useSwitch()
  const invited = waiting.data?.data ?? []
  const both = {
    isLoading: people.isLoading,
    error: people.error ?? waiting.error,
    refetch: () => {
      people.refetch()
      waiting.refetch()
    }
  }
  return (
    <SettingsLayout
      description="Viewers read, editors write and approve, admins also manage the workspace"
      actions={
        <Button kind="primary" icon="plus" onClick={inviting.turnOn}>
          Invite
        </Button>
      }
    >
      <LoadState of={both} height="row" lines={3} />
      {people.data !== undefined && (
        <ul class="settings-list" aria-label="Members">
          {people.data.data.map((member) => (
            <MemberRow key={member.user_id} member={member} />
          ))}
        </ul>
      )}
      {invited.length > 0 && (
        <section class="settings-section" aria-labelledby="invited">
          <h2 id="invited">Invited</h2>
          <ul class="settings-list">
            {invited.map((each) => (
              <InviteRow key={each.id} invite={each} />
            ))}
          </ul>
        </section>
      )}
      {inviting.isOn && <InviteDialog onClose={inviting.turnOff} />}
    </SettingsLayout>
  )
}
