import { useState } from "preact/hooks"
import { keys } from "../../api/keys.ts"
import { useQuery } from "../../api/query.ts"
import { LoadError } from "../../app/LoadError.tsx"
import { Button } from "../../ui/Button.tsx"
import { Copyable } from "../../ui/Copyable.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Loading, Skeleton } from "../../ui/Skeleton.tsx"
import { useNow } from "../../ui/Time.tsx"
import { isEnded, KeyRow } from "./KeyRow.tsx"
import { NewKeyDialog } from "./NewKeyDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"

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
  const add = (
    <Button
      kind="primary"
      icon="plus"
      onClick={() => {
        setAdding(true)
      }}
    >
      New key
    </Button>
  )
  return (
    <SettingsLayout
      description="Let programs and agents work in this workspace"
      actions={usable !== undefined && usable.length > 0 ? add : undefined}
    >
      {list.isLoading && (
        <>
          <Loading />
          <Skeleton height="row" lines={3} />
        </>
      )}
      <LoadError error={list.error} onRetry={list.refetch} />
      {usable?.length === 0 && (
        <EmptyState icon="key" title="No API keys" action={add}>
          <p>With a key, a program lists posts like this:</p>
          <Copyable label="A command that lists posts" text={example("sps_…")} block />
        </EmptyState>
      )}
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
    </SettingsLayout>
  )
}
