import type { Facts } from "../Platform.ts"

export const linkedin = {
  name: "LinkedIn",
  aliases: ["li"],
  mark: "M2.500 6h2.600v7.500H2.500V6Zm1.300-3.700a1.500 1.500 0 1 1 0 3 1.500 1.500 0 0 1 0-3ZM6.700 6h2.500v1c.4-.7 1.200-1.200 2.300-1.200 2.300 0 2.700 1.500 2.700 3.500v4.200h-2.600V9.800c0-.9 0-2-1.200-2s-1.400 1-1.400 2v3.700H6.700V6Z",
  settings: {}
} satisfies Facts
