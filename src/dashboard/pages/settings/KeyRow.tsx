import { type KeyJson, revokeKey, rotateKey } from "../../api/keys.ts"
import { invalidate } from "../../api/query.ts"
import { report } from "../../shared/report.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Menu } from "../../ui/controls/Menu.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Time, useNow } from "../../ui/time/Time.tsx"
import { describeScopes } from "./scopes.ts"
import { LastUse, MadeBy, SettingsRow } from "./SettingsRow.tsx"
import { describeUnseen } from "./unseenSecret.ts"

export const isEnded = ({ expires_at, revoked_at }: KeyJson, now: Date): boolean =>
  revoked_at !== null || (expires_at !== null && new Date(expires_at) <= now)

const Ends = ({ apiKey }: { readonly apiKey: KeyJson }) => {
  const { expires_at, revoked_at, rotated_at } = apiKey
  const hasEnded = isEnded(apiKey, useNow())
  if (revoked_at !== null) {
    return (
      <>
        Revoked <Time at={revoked_at} as="sentence" />
      </>
    )
  }
  if (expires_at === null) return <>Does not expire</>
  return (
    <>
      {hasEnded ? "Expired" : rotated_at === null ? "Expires" : "Replaced, works until"}{" "}
      <Time at={expires_at} as={rotated_at === null || hasEnded ? "sentence" : "fixed"} />
    </>
  )
}

type Confirm = ReturnType<typeof useConfirm>["confirm"]

export const revoke = async ({ id, name }: KeyJson, confirm: Confirm) => {
  const isSure = await confirm({
    title: `Revoke ${name}?`,
    text: "Programs that use it are refused within seconds. This can’t be undone.",
    action: "Revoke",
    danger: true
  })
  if (isSure) await report(revokeKey(id), "/v1/keys", `Revoked ${name}`)
}

const rotate = async ({ id, name }: KeyJson, confirm: Confirm, onSecret: (secret: string) => void) => {
  const isSure = await confirm({
    title: `Replace ${name}?`,
    text: "You get a new key with the same rights. The old one works for 24 more hours, so that programs can switch.",
    action: "Replace it"
  })
  if (!isSure) return
  const outcome = await rotateKey(id)
  invalidate("/v1/keys")
  if (outcome.ok) onSecret(outcome.data.secret)
  else toast(describeUnseen(outcome.error, "replacedKey"), { tone: "error" })
}

export interface KeyRowProps {
  readonly apiKey: KeyJson
  readonly onSecret: (secret: string) => void
}

export const KeyRow = ({ apiKey, onSecret }: KeyRowProps) => {
  const { created_by, last_used_at, name, prefix, requires_approval, rotated_at, scopes } = apiKey
  const { confirm, dialog } = useConfirm()
  return (
    <SettingsRow
      name={name}
      title={name}
      facts={[
        <>
          <code>{prefix}…</code> · {describeScopes(scopes, requires_approval)}
          {requires_approval && " · a person approves its posts"}
        </>,
        <>
          <LastUse at={last_used_at} /> · <Ends apiKey={apiKey} />
          <MadeBy author={created_by} />
        </>
      ]}
    >
      {!isEnded(apiKey, useNow()) && (
        <Menu
          label={`Actions for ${name}`}
          align="end"
          trigger={(trigger) => <IconButton icon="more" label={`Actions for ${name}`} {...trigger} />}
          groups={[
            rotated_at === null
              ? [{ label: "Replace", icon: "refresh", onSelect: () => void rotate(apiKey, confirm, onSecret) }]
              : [],
            [{ label: "Revoke", icon: "trash", danger: true, onSelect: () => void revoke(apiKey, confirm) }]
          ]}
        />
      )}
      {dialog}
    </SettingsRow>
  )
}
