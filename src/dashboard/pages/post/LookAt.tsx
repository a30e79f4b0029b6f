import type { IntegrationJson } from "../../api/integrations.ts"
import { profileOf } from "../../shared/accounts/useAccounts.ts"
import { Icon } from "../../ui/Icon.tsx"

export const LookAt = ({ account }: { readonly account: IntegrationJson }) => (
  <a class="button button-secondary button-small" href={profileOf(account)} target="_blank" rel="noreferrer">
    <Icon name="external" />
    Look at @{account.username}
  </a>
)
