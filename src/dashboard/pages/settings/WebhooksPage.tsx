import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Webhooks" />
    <EmptyState icon="webhook" title="No webhooks">
      <p>Webhooks tell programs what happened to posts.</p>
    </EmptyState>
  </div>
)
