import { useId, useState } from "preact/hooks"
import { Copyable } from "../../ui/controls/Copyable.tsx"
import { Tabs } from "../../ui/controls/Tabs.tsx"
import { type AgentClient, agentClients, setupOf } from "./agentClients.ts"

export const AgentSetup = ({ secret }: { readonly secret: string }) => {
  const [client, setClient] = useState<AgentClient>("claude")
  const panelId = useId()
  const { text, where } = setupOf(client, window.location.origin, secret)
  return (
    <div class="agent-setup">
      <Tabs label="Client" tabs={agentClients} selected={client} onSelect={setClient} panelId={panelId} />
      <div id={panelId} role="tabpanel" class="agent-setup-text">
        <p class="secondary">{where}</p>
        <Copyable key={client} label="What to paste" text={text} block />
      </div>
    </div>
  )
}
