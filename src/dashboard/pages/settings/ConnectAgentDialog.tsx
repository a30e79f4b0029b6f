import { useState } from "preact/hooks"
import type { Scope } from "../../../domain/people/apiKey.ts"
import { maxNameLength } from "../../../domain/plain/limits.ts"
import { fieldError } from "../../api/errors.ts"
import { createKey } from "../../api/keys.ts"
import { useMutation } from "../../api/query.ts"
import { Checkbox } from "../../ui/controls/Field.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { describeUnseenRest } from "./unseenSecret.ts"

const agentScopes: ReadonlyArray<Scope> = ["posts:read", "posts:write", "integrations:read", "notifications:read"]

export interface ConnectAgentDialogProps {
  readonly onClose: () => void
  readonly onSecret: (secret: string) => void
}

/** By default, the agent may only draft. */
export const ConnectAgentDialog = ({ onClose, onSecret }: ConnectAgentDialogProps) => {
  const [name, setName] = useState("My agent")
  const [requiresApproval, setRequiresApproval] = useState(true)
  const [addsMedia, setAddsMedia] = useState(false)
  const { error, isPending, run } = useMutation(createKey, { invalidates: ["/v1/keys"] })

  const connect = async () => {
    const outcome = await run({
      name: name.trim(),
      scopes: addsMedia ? [...agentScopes, "media:write"] : agentScopes,
      requires_approval: requiresApproval,
      purpose: "agent",
      expires_in: null
    })
    if (!outcome.ok) return
    onClose()
    onSecret(outcome.data.secret)
  }

  return (
    <FormDialog
      title="Connect an agent"
      action="Connect"
      onSubmit={() => void connect()}
      onClose={onClose}
      busy={isPending}
      disabled={name.trim() === ""}
      problem={describeUnseenRest(error, "agent", ["name"])}
    >
      <TextField
        label="Name"
        hint="What you recognize it by"
        error={fieldError(error, "name")}
        value={name}
        maxLength={maxNameLength}
        autofocus
        onValue={setName}
      />
      <Checkbox
        label="A person approves its posts"
        hint="It writes drafts, and asks. Without this it schedules posts that go out unseen."
        checked={requiresApproval}
        onChange={setRequiresApproval}
      />
      <Checkbox
        label="It may add media"
        hint="The service then fetches any public address that the agent chooses, so what it has read could leak through an address."
        checked={addsMedia}
        onChange={setAddsMedia}
      />
      <p class="secondary">
        It also sees posts, accounts and notifications.{" "}
        {requiresApproval
          ? "It changes and deletes only drafts of its own. It can’t publish or connect accounts."
          : "It can schedule posts for now, and change and delete anybody’s. It can’t connect accounts."}
      </p>
    </FormDialog>
  )
}
