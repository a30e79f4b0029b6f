import { accountName } from "../../../domain/plain/platforms.ts"
import type { IntegrationJson } from "../../api/integrations.ts"
import { profileOf } from "../../shared/accounts/useAccounts.ts"
import { Icon } from "../../ui/Icon.tsx"

export interface LookAtProps {
  readonly account: IntegrationJson
  readonly isMain?: boolean
}

export const LookAt = ({ account, isMain = false }: LookAtProps) => (
  <a
    class={`button button-small button-${isMain ? "primary" : "secondary"}`}
    href={profileOf(account)}
    target="_blank"
    rel="noreferrer"
  >
    <Icon name="external" />
    Look at {accountName(account.platform, account.username)}
  </a>
)
