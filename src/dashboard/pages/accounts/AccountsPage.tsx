import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Accounts" />
    <EmptyState icon="accounts" title="No accounts">
      <p>The accounts that posts go out from appear here.</p>
    </EmptyState>
  </div>
)
