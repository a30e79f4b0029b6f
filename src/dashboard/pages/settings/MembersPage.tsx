import { useState } from "preact/hooks"
import { invites, members } from "../../api/members.ts"
import { useQuery } from "../../api/query.ts"
import { LoadError } from "../../shared/page/LoadError.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { InviteDialog } from "./InviteDialog.tsx"
import { InviteRow, MemberRow } from "./MemberRows.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"

export const Page = () => {
  const people = useQuery(members)
  const waiting = useQuery(invites)
  const [isInviting, setInviting] = useState(false)
  const error = people.error ?? waiting.error
  const invited = waiting.data?.data ?? []
  return (
    <SettingsLayout
      description="Viewers read, editors write and approve, admins also manage the workspace"
      actions={
        <Button
          kind="primary"
          icon="plus"
          onClick={() => {
            setInviting(true)
          }}
        >
          Invite
        </Button>
      }
    >
      {people.isLoading && (
        <>
          <Loading />
          <Skeleton height="row" lines={3} />
        </>
      )}
      <LoadError
        error={error}
        onRetry={() => {
          people.refetch()
          waiting.refetch()
        }}
      />
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
      {isInviting && (
        <InviteDialog
          onClose={() => {
            setInviting(false)
          }}
        />
      )}
    </SettingsLayout>
  )
}
