import { useState } from "preact/hooks"
import { keys } from "../../api/keys.ts"
import { useQuery } from "../../api/query.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Copyable } from "../../ui/controls/Copyable.tsx"
import { useNow } from "../../ui/time/Time.tsx"
import { isEnded, KeyRow } from "./KeyRow.tsx"
import { NewKeyDialog } from "./NewKeyDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { SettingsList } from "./SettingsList.tsx"

const example = (secret: string) => `curl ${window.location.origin}/v1/posts -H 'Authorization: Bearer ${secret}'`

export const Page = () => {
  const list = useQuery(keys)
  const now = useNow()
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  const [showsEnded, setShowsEnded] = useState(false)
  const all = list.data?.data
  const usable = all?.filter((key) => !isEnded(key, now))
  const ended = all?.filter((key) => isEnded(key, now)) ?? []
  const shown = showsEnded ? all : usable
  return (
    <SettingsList
      description="Let programs and agents work in this workspace"
      list={list}
      count={usable?.length}
      add={{
        label: "New key",
        onClick: () => {
          setAdding(true)
        }
      }}
      empty={{
        icon: "key",
        title: "No API keys",
        text: (
          <>
            <p>With a key, a program lists posts like this:</p>
            <Copyable label="A command that lists posts" text={example("sps_…")} block />
          </>
        )
      }}
    >
      {shown !== undefined && shown.length > 0 && (
        <ul class="settings-list">
          {shown.map((key) => (
            <KeyRow key={key.id} apiKey={key} onSecret={setSecret} />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <Button
          kind="quiet"
          class="settings-more"
          aria-expanded={showsEnded}
          onClick={() => {
            setShowsEnded(!showsEnded)
          }}
        >
          {showsEnded ? "Hide" : "Show"} {ended.length} expired or revoked
        </Button>
      )}
      {isAdding && (
        <NewKeyDialog
          onClose={() => {
            setAdding(false)
          }}
          onSecret={(made) => {
            setAdding(false)
            setSecret(made)
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          title="API key"
          label="API key"
          secret={secret}
          onClose={() => {
            setSecret(undefined)
          }}
        >
          <p class="secondary">Try it:</p>
          <Copyable label="A command that lists posts" text={example(secret)} block />
        </SecretDialog>
      )}
    </SettingsList>
  )
}
