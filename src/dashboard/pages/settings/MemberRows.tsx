import type { Role } from "../../../domain/people/role.ts"
import { type InviteJson, invites, type MemberJson, setRole, takeBackInvite } from "../../api/members.ts"
import { invalidate } from "../../api/query.ts"
import { useMe } from "../../shared/me.ts"
import { report } from "../../shared/report.ts"
import { roleNames } from "../../shared/roles.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Avatar } from "../../ui/display/Avatar.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { useSwitch } from "../../ui/useOpen.ts"
import { RemoveDialog } from "./RemoveDialog.tsx"
import { roleOptions } from "./roles.ts"
import { MadeBy, SettingsRow } from "./SettingsRow.tsx"

export const MemberRow = ({
  member: { created_at, email, mail_error, name, role, user_id }
}: {
  readonly member: MemberJson
}) => {
  const isOwn = useMe().caller.id === user_id
  const removing = useSwitch()

  const change = async (next: Role) => {
    await report(setRole(user_id, next), "/v1/members", `${email} is now ${roleNames[next].toLowerCase()}`)
    // The member may be the person who made the change.
    invalidate("/v1/me")
  }

  return (
    <SettingsRow
      start={<Avatar name={name ?? email} />}
      name={
        <>
          {name ?? email}
          {isOwn && <span class="secondary"> (you)</span>}
        </>
      }
      title={email}
      facts={[
        <>
          {name !== null && `${email} · `}Joined <Time at={created_at} as="sentence" />
        </>
      ]}
      state={
        mail_error !== null && (
          <p class="settings-state status-failed">
            <Icon name="warning" size={14} /> Mail does not arrive. {mail_error}
          </p>
        )
      }
    >
      <div class="settings-actions">
        <SelectOne
          aria-label={`Role of ${email}`}
          value={role}
          options={roleOptions}
          isConfirmed
          onChoose={(next) => void change(next)}
        />
        <Button kind="quiet" aria-label={isOwn ? undefined : `Remove ${email}`} onClick={removing.turnOn}>
          {isOwn ? "Leave" : "Remove"}
        </Button>
      </div>
      {removing.isOn && <RemoveDialog userId={user_id} email={email} isOwn={isOwn} onClose={removing.turnOff} />}
    </SettingsRow>
  )
}

export const InviteRow = ({ invite: { created_by, email, expires_at, id, role } }: { readonly invite: InviteJson }) => {
  const takeBack = () => report(takeBackInvite(id), invites.path, `The invitation of ${email} was taken back`, {})
  return (
    <SettingsRow
      start={<Avatar name={email} />}
      name={email}
      title={email}
      facts={[
        <>
          {roleNames[role]} · the link works until <Time at={expires_at} as="fixed" />
          <MadeBy author={created_by} verb="invited" />
        </>
      ]}
    >
      <Button kind="quiet" aria-label={`Take back the invitation of ${email}`} onClick={() => void takeBack()}>
        Take back
      </Button>
    </SettingsRow>
  )
}
