import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Settings" />
    <EmptyState icon="settings" title="No settings">
      <p>Keys, webhooks and members are managed here.</p>
    </EmptyState>
  </div>
)
