import { keys } from "../../api/keys.ts"
import { useQuery } from "../../api/query.ts"
import { Link } from "../../shared/router.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { useOpen, useSwitch } from "../../ui/useOpen.ts"
import { AgentRow } from "./AgentRow.tsx"
import { AgentSetup } from "./AgentSetup.tsx"
import { ConnectAgentDialog } from "./ConnectAgentDialog.tsx"
import { isEnded } from "./KeyRow.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { SettingsList } from "./SettingsList.tsx"

const empty = {
  icon: "key",
  title: "No agents",
  text: (
    <p>
      An agent drafts posts over MCP or the API. Nothing goes out until somebody approves it, unless you choose
      otherwise.
    </p>
  )
} as const

export const Page = () => {
  const list = useQuery(keys)
  const now = useNow()
  const connecting = useSwitch()
  const secret = useOpen<string>()
  const agents = list.data?.data.filter((key) => key.purpose === "agent" && !isEnded(key, now))
  return (
    <SettingsList
      description="Let agents draft posts, which people approve"
      list={list}
      count={agents?.length}
      add={{ label: "Connect an agent", onClick: connecting.turnOn }}
      empty={empty}
    >
      {agents !== undefined && agents.length > 0 && (
        <>
          <Link class="settings-more" href="/approvals">
            What waits for approval
          </Link>
          <ul class="settings-list" aria-label="Agents">
            {agents.map((agent) => (
              <AgentRow key={agent.id} agent={agent} />
            ))}
          </ul>
        </>
      )}
      {connecting.isOn && <ConnectAgentDialog onClose={connecting.turnOff} onSecret={secret.open} />}
      {secret.opened !== undefined && (
        <SecretDialog
          title="The agent’s key"
          label="API key"
          secret={secret.opened}
          advice="Paste it into your agent’s client. It is not shown again."
          onClose={secret.close}
        >
          <AgentSetup secret={secret.opened} />
        </SecretDialog>
      )}
    </SettingsList>
  )
}
