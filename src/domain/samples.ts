/** Ids that the examples of the API reference share, so that all of them show the same post. */
export const postId = "01981ccb-6c31-7d2c-9f47-5b8ed0a7c1f4"
export const groupId = "01981cc9-02e4-7b10-8c55-f3a91d6e20b7"
export const integrationId = "01980f3a-91c0-7f6e-a2d4-0c7b5e918d63"
export const notificationId = "01981cd0-4f8a-7c3b-b1e6-92d40a6f7e15"
export const keyId = "01980e12-5a07-7b3c-8e41-d6a2f09c4b17"
export const userId = "01980e11-7d43-7a05-b6c8-2f9be1d0a374"
export const workspaceId = "01980e10-2b96-7e81-9d3f-64c0a58f1be2"
export const requestId = "5f1e7a52-0c3d-4b8a-9e64-7d2f1b3c8a90"
