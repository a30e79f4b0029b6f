import { type KeyJson, rotateKey } from "../../api/keys.ts"
import { invalidate } from "../../api/query.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { Menu } from "../../ui/controls/Menu.tsx"
import { useConfirm } from "../../ui/dialogs/Confirm.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Time, useNow } from "../../ui/time/Time.tsx"
import { MadeBy } from "./MadeBy.tsx"
import { describeScopes } from "./scopes.ts"
import { describeUnseen } from "./unseenSecret.ts"
import { useRevokeKey } from "./useRevokeKey.tsx"

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

export interface KeyRowProps {
  readonly apiKey: KeyJson
  readonly onSecret: (secret: string) => void
}

export const KeyRow = ({ apiKey, onSecret }: KeyRowProps) => {
  const { created_by, id, last_used_at, name, prefix, requires_approval, rotated_at, scopes } = apiKey
  const { confirm, dialog } = useConfirm()
  const revocation = useRevokeKey(apiKey)
  const hasEnded = isEnded(apiKey, useNow())

  const rotate = async () => {
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

  return (
    <li class="settings-row">
      <div class="settings-main">
        <p class="settings-name truncate" title={name}>
          {name}
        </p>
        <p class="secondary small">
          <code>{prefix}…</code> · {describeScopes(scopes, requires_approval)}
          {requires_approval && " · a person approves its posts"}
        </p>
        <p class="secondary small">
          {last_used_at === null ? (
            "Never used"
          ) : (
            <>
              Used <Time at={last_used_at} as="sentence" />
            </>
          )}{" "}
          · <Ends apiKey={apiKey} />
          <MadeBy author={created_by} />
        </p>
      </div>
      {!hasEnded && (
        <Menu
          label={`Actions for ${name}`}
          align="end"
          trigger={(trigger) => <IconButton icon="more" label={`Actions for ${name}`} {...trigger} />}
          groups={[
            rotated_at === null ? [{ label: "Replace", icon: "refresh", onSelect: () => void rotate() }] : [],
            [{ label: "Revoke", icon: "trash", danger: true, onSelect: () => void revocation.revoke() }]
          ]}
        />
      )}
      {dialog}
      {revocation.dialog}
    </li>
  )
}
