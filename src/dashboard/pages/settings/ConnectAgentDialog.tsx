import { useState } from "preact/hooks"
import type { Scope } from "../../../domain/people/apiKey.ts"
import { Checkbox } from "../../ui/controls/Field.tsx"
import { KeyDialog, type KeyDialogProps } from "./KeyDialog.tsx"

const agentScopes: ReadonlyArray<Scope> = ["posts:read", "posts:write", "integrations:read", "notifications:read"]

/** By default, the agent can only write drafts. */
export const ConnectAgentDialog = (props: KeyDialogProps) => {
  const [requiresApproval, setRequiresApproval] = useState(true)
  const [addsMedia, setAddsMedia] = useState(false)
  return (
    <KeyDialog
      {...props}
      title="Connect an agent"
      action="Connect"
      made="agent"
      initialName="My agent"
      rights={{
        scopes: addsMedia ? [...agentScopes, "media:write"] : agentScopes,
        purpose: "agent",
        expires_in: null
      }}
      approval={{
        hint: "It writes drafts, and asks. Without this it schedules posts that go out unseen.",
        checked: requiresApproval,
        onChange: setRequiresApproval
      }}
    >
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
    </KeyDialog>
  )
}
