import { useState } from "preact/hooks"
import type { Role } from "../../../domain/people/role.ts"
import { describeFailure } from "../../api/errors.ts"
import { type InviteJson, type MemberJson, setRole, takeBackInvite } from "../../api/members.ts"
import { invalidate } from "../../api/query.ts"
import { useMe } from "../../shared/me.ts"
import { roles } from "../../../domain/plain/access.ts"
import { isRole, roleNames } from "../../shared/roles.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Select } from "../../ui/controls/Field.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Avatar } from "../../ui/display/Avatar.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { MadeBy } from "./MadeBy.tsx"
import { RemoveDialog } from "./RemoveDialog.tsx"

export const MemberRow = ({ member: { created_at, email, name, role, user_id } }: { readonly member: MemberJson }) => {
  const isOwn = useMe().caller.id === user_id
  const [isRemoving, setRemoving] = useState(false)

  const change = async (next: Role) => {
    const outcome = await setRole(user_id, next)
    invalidate("/v1/members", "/v1/me")
    if (outcome.ok) toast(`${email} is now ${roleNames[next].toLowerCase()}`, { tone: "success" })
    else toast(describeFailure(outcome.error), { tone: "error" })
  }

  return (
    <li class="settings-row">
      <Avatar name={name ?? email} />
      <div class="settings-main">
        <p class="settings-name truncate" title={email}>
          {name ?? email}
          {isOwn && <span class="secondary"> (you)</span>}
        </p>
        <p class="secondary small">
          {name !== null && `${email} · `}Joined <Time at={created_at} as="sentence" />
        </p>
      </div>
      <div class="settings-actions">
        <Select
          aria-label={`Role of ${email}`}
          value={role}
          onChange={(event) => {
            const next = event.currentTarget.value
            // Keeps the current role until the service confirms.
            event.currentTarget.value = role
            if (isRole(next)) void change(next)
          }}
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {roleNames[each]}
            </option>
          ))}
        </Select>
        <Button
          kind="quiet"
          aria-label={isOwn ? undefined : `Remove ${email}`}
          onClick={() => {
            setRemoving(true)
          }}
        >
          {isOwn ? "Leave" : "Remove"}
        </Button>
      </div>
      {isRemoving && (
        <RemoveDialog
          userId={user_id}
          email={email}
          isOwn={isOwn}
          onClose={() => {
            setRemoving(false)
          }}
        />
      )}
    </li>
  )
}

export const InviteRow = ({ invite: { created_by, email, expires_at, id, role } }: { readonly invite: InviteJson }) => {
  const takeBack = async () => {
    const outcome = await takeBackInvite(id)
    invalidate("/v1/invites")
    if (outcome.ok) toast(`The invitation of ${email} was taken back`)
    else toast(describeFailure(outcome.error), { tone: "error" })
  }
  return (
    <li class="settings-row">
      <Avatar name={email} />
      <div class="settings-main">
        <p class="settings-name truncate" title={email}>
          {email}
        </p>
        <p class="secondary small">
          {roleNames[role]} · the link works until <Time at={expires_at} as="sentence" />
          <MadeBy author={created_by} verb="invited" />
        </p>
      </div>
      <Button kind="quiet" aria-label={`Take back the invitation of ${email}`} onClick={() => void takeBack()}>
        Take back
      </Button>
    </li>
  )
}
