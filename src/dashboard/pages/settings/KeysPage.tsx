import { keys } from "../../api/keys.ts"
import { useQuery } from "../../api/query.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Copyable } from "../../ui/controls/Copyable.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { useOpen, useSwitch } from "../../ui/useOpen.ts"
import { isEnded, KeyRow } from "./KeyRow.tsx"
import { NewKeyDialog } from "./NewKeyDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { SettingsList } from "./SettingsList.tsx"

const Example = ({ secret }: { readonly secret: string }) => (
  <Copyable
    label="A command that lists posts"
    text={`curl ${window.location.origin}/v1/posts -H 'Authorization: Bearer ${secret}'`}
    block
  />
)

const empty = {
  icon: "key",
  title: "No API keys",
  text: (
    <>
      <p>With a key, a program lists posts like this:</p>
      <Example secret="sps_…" />
    </>
  )
} as const

export const Page = () => {
  const list = useQuery(keys)
  const now = useNow()
  const adding = useSwitch()
  const secret = useOpen<string>()
  const ended = useSwitch()
  const all = list.data?.data
  const usable = all?.filter((key) => !isEnded(key, now))
  const shown = (ended.isOn ? all : usable) ?? []
  const endedCount = (all?.length ?? 0) - (usable?.length ?? 0)
  return (
    <SettingsList
      description={
        <>
          Let programs and agents work in this workspace. The{" "}
          <a class="settings-text-link" href="/docs">
            API reference
          </a>{" "}
          says how.
        </>
      }
      list={list}
      count={usable?.length}
      add={{ label: "New key", onClick: adding.turnOn }}
      empty={empty}
    >
      {shown.length > 0 && (
        <ul class="settings-list">
          {shown.map((key) => (
            <KeyRow key={key.id} apiKey={key} onSecret={secret.open} />
          ))}
        </ul>
      )}
      {endedCount > 0 && (
        <Button kind="quiet" class="settings-more" aria-expanded={ended.isOn} onClick={ended.toggle}>
          {ended.isOn ? "Hide" : "Show"} {endedCount} expired or revoked
        </Button>
      )}
      {adding.isOn && <NewKeyDialog onClose={adding.turnOff} onSecret={secret.open} />}
      {secret.opened !== undefined && (
        <SecretDialog title="API key" label="API key" secret={secret.opened} onClose={secret.close}>
          <p class="secondary">Try it:</p>
          <Example secret={secret.opened} />
        </SecretDialog>
      )}
    </SettingsList>
  )
}
