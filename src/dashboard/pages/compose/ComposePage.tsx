import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="New post" />
    <EmptyState icon="pencil" title="Nothing to write on">
      <p>The text and its previews appear here.</p>
    </EmptyState>
  </div>
)
