// Written by "npm run docs" from the OpenAPI document; do not edit.

export interface paths {
    "/t/{transformations}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Delivers a variant of a file. */
        get: operations["getVariant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/t/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Delivers an original. */
        get: operations["getOriginal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authenticated/s--{signature}/{transformations}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Delivers a variant of a file by a signed URL. */
        get: operations["getSignedVariant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authenticated/s--{signature}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Delivers an original by a signed URL. */
        get: operations["getSignedOriginal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authenticated/s--{signature}--{expires}/{transformations}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Delivers a variant of a file by a signed URL that ends. */
        get: operations["getExpiringVariant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authenticated/s--{signature}--{expires}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Delivers an original by a signed URL that ends. */
        get: operations["getExpiringOriginal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transformations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Parameters of transformations. */
        get: operations["listTransformations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/delivery/sign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs a URL for delivery.
         * @description Needs the permission `read`.
         */
        post: operations["signDeliveryUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/delivery/translate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Translates URLs of Cloudinary.
         * @description Renders nothing. Needs the permission `read`.
         */
        post: operations["translateUrls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/download/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Downloads an original. */
        get: operations["downloadFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/download-folder/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Downloads a folder as a ZIP. */
        get: operations["downloadFolder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/download-zip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Downloads files and folders as a ZIP.
         * @description Needs the permission `read`.
         */
        post: operations["downloadZip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/download-zip/ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a URL for one download of a ZIP.
         * @description Needs the permission `read`.
         */
        post: operations["createZipTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/download-zip/{ticket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Downloads the ZIP of a ticket. */
        get: operations["downloadZipByTicket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uploads files and renders variants of them.
         * @description Needs the permission `upload`, or a presigned signature in the body.
         */
        post: operations["uploadFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/sign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Presigns uploads into a folder.
         * @description Needs the permission `upload`.
         */
        post: operations["signUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetches a file from a URL and stores it.
         * @description Only public addresses are fetched, also after redirects. Needs the permission `upload`.
         */
        post: operations["uploadUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/resumable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begins a resumable upload (tus 1.0).
         * @description Needs the permission `upload`, or a presigned signature in the body.
         */
        post: operations["beginUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/resumable/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the result of a resumable upload.
         * @description HEAD returns the received bytes in `Upload-Offset`. Needs the permission `upload`, or a presigned signature in the body.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * Gives a resumable upload up.
         * @description A file that was stored already stays. Needs the permission `upload`, or a presigned signature in the body.
         */
        delete: operations["cancelUpload"];
        options?: never;
        head?: never;
        /**
         * Adds bytes to a resumable upload.
         * @description With the last bytes, the file is stored or refused. Needs the permission `upload`, or a presigned signature in the body.
         */
        patch: operations["resumeUpload"];
        trace?: never;
    };
    "/storage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists a folder.
         * @description With `If-None-Match`, an unchanged listing is 304. Needs the permission `read`.
         */
        get: operations["listFolder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{path}/metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Size and times of a file.
         * @description Needs the permission `read`.
         */
        get: operations["getFileMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{path}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the versions of a file.
         * @description Needs the permission `read`.
         */
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{path}/versions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Downloads a version of a file.
         * @description Needs the permission `read`.
         */
        get: operations["downloadVersion"];
        put?: never;
        post?: never;
        /**
         * Deletes a version of a file permanently.
         * @description Needs the permission `manage`.
         */
        delete: operations["deleteVersion"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{path}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves a file or folder.
         * @description Needs the permission `manage`.
         */
        post: operations["moveFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{path}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copies a file.
         * @description Needs the permission `manage`.
         */
        post: operations["copyFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{path}/versions/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restores a version; the current file becomes a version.
         * @description Needs the permission `manage`.
         */
        post: operations["restoreVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replaces the bytes of a file.
         * @description The previous file becomes a version. `If-Match` with an ETag of the file is honoured. `Content-Type` may name the type of the file. Needs the permission `manage`.
         */
        put: operations["replaceFile"];
        post?: never;
        /**
         * Deletes a file, or a folder with recursive=true.
         * @description Needs the permission `manage`.
         */
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        /**
         * Renames a file or folder.
         * @description Needs the permission `manage`.
         */
        patch: operations["renameFile"];
        trace?: never;
    };
    "/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the trash, latest first by default.
         * @description Needs the permission `read`.
         */
        get: operations["listTrash"];
        put?: never;
        post?: never;
        /**
         * Empties the trash permanently.
         * @description Needs the permission `manage`.
         */
        delete: operations["emptyTrash"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A small WebP of an image or a video in the trash.
         * @description Other kinds, folders, and files over 64 MB have none (404). Needs the permission `read`.
         */
        get: operations["previewTrashItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restores an item of the trash.
         * @description Needs the permission `manage`.
         */
        post: operations["restoreFromTrash"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes an item of the trash permanently.
         * @description Needs the permission `manage`.
         */
        delete: operations["deleteFromTrash"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/redirects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists redirects by their previous path.
         * @description Needs the permission `read`.
         */
        get: operations["listRedirects"];
        put?: never;
        /**
         * Redirects a previous path to a file or folder, or replaces its redirect.
         * @description Needs the permission `manage`.
         */
        post: operations["createRedirect"];
        /**
         * Deletes a redirect. Its target stays.
         * @description Needs the permission `manage`.
         */
        delete: operations["deleteRedirect"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists all folders.
         * @description Needs the permission `read`.
         */
        get: operations["listAllFolders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/folder-summaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarises folders.
         * @description Needs the permission `read`.
         */
        get: operations["summariseFolders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload/createfolder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a folder.
         * @description Needs the permission `upload`.
         */
        post: operations["createFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves, copies, deletes or tags many files and folders.
         * @description A 207 response contains the reason for each failed item. Needs the permission `manage`.
         */
        post: operations["batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Storage and cache usage.
         * @description Needs the permission `read`.
         */
        get: operations["getStorageStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/stats/recalculate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recalculates storage usage.
         * @description Needs the permission `manage`.
         */
        post: operations["recalculateStorageStats"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/cache/clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clears all cached variants.
         * @description Needs the permission `manage`.
         */
        post: operations["clearCache"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Usage of each subfolder and kind.
         * @description Needs the permission `read`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finds files in the whole library.
         * @description A parameter `field.<name>` filters by the value of a custom field. Needs the permission `read`.
         */
        get: operations["listAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/duplicates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finds files with equal bytes, or images that look the same.
         * @description Without `kind`, returns the record of a file with that name. Needs the permission `read`.
         */
        get: operations["listDuplicates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the metadata of a file.
         * @description Needs the permission `read`.
         */
        get: operations["getAsset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes the metadata of a file.
         * @description With `If-Match: "<revision>"`, only if the metadata have not changed since. Needs the permission `manage`.
         */
        patch: operations["updateAsset"];
        trace?: never;
    };
    "/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists tags with their number of files.
         * @description Needs the permission `read`.
         */
        get: operations["listTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tag}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a tag from all files.
         * @description Needs the permission `manage`.
         */
        delete: operations["deleteTag"];
        options?: never;
        head?: never;
        /**
         * Renames a tag, or merges it into another.
         * @description Needs the permission `manage`.
         */
        patch: operations["renameTag"];
        trace?: never;
    };
    "/invalidate/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Clears the variants of a file or folder.
         * @description Needs the permission `manage`.
         */
        delete: operations["invalidateVariants"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Counts jobs by status.
         * @description Needs the permission `read`.
         */
        get: operations["getQueueStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/worker/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of the worker.
         * @description Needs the permission `read`.
         */
        get: operations["getWorkerStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists jobs, the newest first.
         * @description Needs the permission `read`.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        /**
         * Deletes all jobs in a state.
         * @description Needs the permission `manage`.
         */
        delete: operations["deleteJobs"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a job.
         * @description Needs the permission `read`.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Deletes a job.
         * @description Needs the permission `manage`.
         */
        delete: operations["deleteJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/jobs/{jobId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queues a failed job again.
         * @description Needs the permission `manage`.
         */
        post: operations["retryJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/jobs/{jobId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a pending job.
         * @description Needs the permission `manage`.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/jobs/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queues all failed jobs again.
         * @description Needs the permission `manage`.
         */
        post: operations["retryJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queue/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams events of jobs (server-sent events).
         * @description Without a key that has the permission "read" or a session, `filePath` is the id of the job in the events of all files but those that the query names by `path`, and `error` is the same for all failures.
         */
        get: operations["streamJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/video-status/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Progress of a video. */
        get: operations["getVideoStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/video-status/{path}/size": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Size of a finished variant. */
        get: operations["getVideoSize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/video-status/s--{signature}/{transformations}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Progress of a video. */
        get: operations["getSignedVideoStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/video-status/s--{signature}/{transformations}/{path}/size": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Size of a finished variant. */
        get: operations["getSignedVideoSize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/video-status/s--{signature}--{expires}/{transformations}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Progress of a video. */
        get: operations["getExpiringVideoStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/video-status/s--{signature}--{expires}/{transformations}/{path}/size": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Size of a finished variant. */
        get: operations["getExpiringVideoSize"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the webhooks, the oldest first.
         * @description Needs the permission `admin`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Creates a webhook.
         * @description Only public addresses are allowed, and those in `OUTGOING_PRIVATE_NETWORKS`. Needs the permission `admin`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a webhook.
         * @description Needs the permission `admin`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Deletes a webhook with its deliveries.
         * @description Needs the permission `admin`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Changes, enables or disables a webhook.
         * @description While disabled, no events are recorded for it. Pending deliveries are sent when it is enabled. Needs the permission `admin`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a webhook a new secret.
         * @description For 24 hours, requests are also signed with the previous secret. Needs the permission `admin`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends the event `webhook.test`.
         * @description Sent once, for any events of the webhook. The log of deliveries shows the result. Needs the permission `admin`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists deliveries, the newest first.
         * @description Needs the permission `admin`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeats a finished delivery.
         * @description With the same `webhook-id`, and as many attempts as a new delivery. Needs the permission `admin`.
         */
        post: operations["redeliverToWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the spaces that the caller may enter, the library first.
         * @description People with roles in spaces only see these, without their folders. Needs any key, or a session.
         */
        get: operations["listSpaces"];
        put?: never;
        /**
         * Creates a space.
         * @description Needs the permission `admin`.
         */
        post: operations["createSpace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/spaces/{spaceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A space with its rules.
         * @description Needs the permission `read`.
         */
        get: operations["getSpace"];
        put?: never;
        post?: never;
        /**
         * Deletes a space with its keys, roles and rules.
         * @description Its files stay in the library, under its rules, or go to its trash. It is disabled first; a request that fails later can be repeated. Needs the permission `admin`.
         */
        delete: operations["deleteSpace"];
        options?: never;
        head?: never;
        /**
         * Changes the rules of a space.
         * @description Needs the permission `admin`.
         */
        patch: operations["updateSpace"];
        trace?: never;
    };
    "/spaces/{spaceId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replaces the signing secret.
         * @description Needs the permission `admin`.
         */
        post: operations["rotateSpaceSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a key.
         * @description Needs the permission `admin`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the keys.
         * @description Needs the permission `admin`.
         */
        get: operations["listApiKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes a key.
         * @description The key with the id `environment` is good again after the next start while the setting `API_KEY` is set. Needs the permission `admin`.
         */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        /**
         * Changes the name, the state or the limits of a key.
         * @description The key with the id `environment` is good again after the next start while the setting `API_KEY` is set. Needs the permission `admin`.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Role and permissions of the caller.
         * @description Answers everyone. Invalid credentials are treated as none.
         */
        get: operations["getAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists members and open invitations.
         * @description Needs the permission `admin`.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes a member.
         * @description An account without another role is deleted, with its sessions. Nobody gives, changes or removes a role above the own one; an API key counts as `admin`. Needs the permission `admin`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Changes a role.
         * @description Nobody gives, changes or removes a role above the own one; an API key counts as `admin`. Needs the permission `admin`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/members/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an invitation.
         * @description At most 100 are open. Nobody gives, changes or removes a role above the own one; an API key counts as `admin`. Needs the permission `admin`.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/members/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes an invitation.
         * @description Nobody gives, changes or removes a role above the own one; an API key counts as `admin`. Needs the permission `admin`.
         */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Terms of an invitation. */
        post: operations["describeInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/invitation/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accepts an invitation.
         * @description Creates an account and signs it in. With a session, the account of the session gets the role, and the other fields are not read.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in. */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs out. */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/get-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Session of the cookie, or null. */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reports if the account can be created. */
        get: operations["getSetup"];
        put?: never;
        /**
         * Creates the first account.
         * @description Where nobody signs in with a password (`PASSWORD_SIGN_IN`), it also begins the session of the account.
         */
        post: operations["createFirstAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes the password.
         * @description Needs a session.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes the name or the e-mail address.
         * @description Needs a session.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/api/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the sessions, the newest first.
         * @description Needs a session.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Ends all other sessions.
         * @description Needs a session.
         */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Ends a session.
         * @description Needs a session.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the audit log, the newest first.
         * @description In the library of all spaces, each with its id; in a space its own. Needs the permission `admin`.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Usage by day, space or API key.
         * @description Needs the permission `admin`.
         */
        get: operations["readUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/two-factor/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a secret for an authenticator app.
         * @description Signing in needs a code once `POST /api/auth/two-factor/verify-totp` has confirmed one. Needs a session.
         */
        post: operations["enableTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/two-factor/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turns the second factor off.
         * @description Needs a session.
         */
        post: operations["disableTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/two-factor/verify-totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Completes a sign-in with a code of the authenticator app, or confirms the app.
         * @description A code is accepted once. After ten wrong codes in a row this is 429 for 15 minutes.
         */
        post: operations["verifyTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/two-factor/verify-backup-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Completes a sign-in with a backup code, which is used up. */
        post: operations["verifyBackupCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ways to sign in. */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins a sign-in through the identity provider. */
        post: operations["signInWithOidc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/oidc/connect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reports if the account is connected with an identity.
         * @description Needs a session.
         */
        get: operations["getOidcConnection"];
        put?: never;
        /**
         * Begins to connect the account with an identity of the identity provider.
         * @description Needs a session.
         */
        post: operations["connectOidc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the service.
         * @description In a space, `catalog` has the number of its files.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/database": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the database.
         * @description Needs the permission `admin`.
         */
        get: operations["getDatabaseHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness of the process. */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness for requests, with the state of dependencies. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus.
         * @description Needs the permission `admin`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Version of the service. */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Limits of input and output. */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Configuration of the service.
         * @description Needs the permission `admin`.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of this node for the last minutes.
         * @description Needs the permission `admin`.
         */
        get: operations["getHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of all nodes by hour, and what was refused.
         * @description Needs the permission `admin`.
         */
        get: operations["getActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description What went wrong, as a word for programs.
         * @enum {string}
         */
        ErrorCode: "bad_request" | "missing_input" | "validation_failed" | "malformed_body" | "too_many_items" | "invalid_host" | "invalid_cursor" | "invalid_encoding" | "invalid_name" | "invalid_path" | "invalid_destination" | "no_free_name" | "is_a_folder" | "wrong_job_state" | "invalid_transformation" | "parameter_out_of_range" | "transformation_too_long" | "untranslatable" | "untransformable" | "limit_exceeded" | "malformed_signature" | "unsignable_path" | "unsupported_type" | "type_mismatch" | "url_not_public" | "url_not_fetched" | "file_too_large" | "undecodable_picture" | "unauthorized" | "invalid_api_key" | "invalid_credentials" | "signature_required" | "wrong_signature" | "signature_expired" | "expiry_too_far" | "forbidden" | "missing_permission" | "role_too_high" | "foreign_origin" | "password_sign_in_disabled" | "wrong_password" | "preset_required" | "wrong_space" | "space_disabled" | "installation_only" | "not_found" | "unknown_endpoint" | "file_not_found" | "space_not_found" | "folder_not_found" | "no_files_found" | "version_not_found" | "trash_item_not_found" | "tag_not_found" | "redirect_not_found" | "ticket_not_found" | "upload_not_found" | "job_not_found" | "api_key_not_found" | "session_not_found" | "member_not_found" | "invitation_not_found" | "webhook_not_found" | "not_processed" | "method_not_allowed" | "request_timeout" | "name_taken" | "redirect_loop" | "too_many_redirects" | "space_id_used" | "space_conflict" | "older_node_running" | "offset_mismatch" | "upload_incomplete" | "webhook_conflict" | "two_factor_conflict" | "last_owner" | "account_exists" | "too_many_invitations" | "setup_closed" | "precondition_failed" | "unsupported_tus_version" | "payload_too_large" | "range_not_satisfiable" | "expectation_failed" | "unprocessable_media" | "transcode_failed" | "transcode_cancelled" | "upload_busy" | "rate_limited" | "transfer_exceeded" | "too_many_sign_ins" | "too_much_work" | "too_many_uploads" | "too_many_listeners" | "headers_too_large" | "internal_error" | "signing_not_configured" | "unavailable" | "queue_full" | "overloaded" | "render_failed" | "render_timeout" | "ffmpeg_missing" | "storage_unavailable" | "origin_unavailable" | "origins_full" | "identity_provider_unavailable" | "database_unavailable" | "out_of_resources" | "stopping" | "not_ready" | "quota_exceeded";
        Problem: {
            /** @description A short, stable label. */
            error: string;
            /** @description What was expected and received. */
            message?: string;
            code: components["schemas"]["ErrorCode"];
            details?: unknown;
        };
        Refusal: {
            /** @description A short, stable label. */
            error: string;
            /** @description What was expected and received. */
            message?: string;
            code: components["schemas"]["ErrorCode"];
            details?: unknown;
            /** @description Seconds. */
            retryAfter?: number;
        };
        Parameter: {
            /** @description Key in a URL, before the separator. */
            key: string;
            /** @description Other keys. */
            aliases: string[];
            /**
             * @description Separator of key and value.
             * @enum {string}
             */
            separator: "_" | ":";
            name: string;
            /** @description Markdown. */
            summary: string;
            /** @description Syntax of its values, in Markdown. */
            forms: string;
            /** @description Value if the parameter is absent. */
            default?: string;
            /** @description Value of the key without a value; absent if the key needs one. */
            alone?: string;
            /** @description Transformations. */
            examples: string[];
            shape: components["schemas"]["ParameterShape"];
        };
        ParameterShape: {
            /** @enum {string} */
            kind: "integer" | "decimal";
            min: number;
            /** @description Inclusive. */
            max: number;
            /** @enum {string} */
            unit?: "pixels" | "degrees" | "seconds";
            /**
             * @description The value `auto` is accepted as well.
             * @constant
             */
            auto?: true;
        } | {
            /** @constant */
            kind: "choice";
            values: string[];
            /**
             * @description The value `auto` is accepted as well.
             * @constant
             */
            auto?: true;
        } | {
            /** @enum {string} */
            kind: "colour" | "ratio" | "corners" | "boolean" | "text";
            /**
             * @description The value `auto` is accepted as well.
             * @constant
             */
            auto?: true;
        };
        UploadResult: {
            success: boolean;
            files: components["schemas"]["UploadedFile"][];
            errors: {
                filename: string;
                error: string;
                code: components["schemas"]["ErrorCode"];
                /** @description Of `type_mismatch`: `expected`, `received`, `extension`. */
                details?: {
                    [key: string]: unknown;
                };
            }[];
        };
        UploadedFile: {
            filename: string;
            path: string;
            /** @description Bytes. */
            size: number;
            /** @description Begins with PUBLIC_URL; with "/t/" if that is not set. */
            url: string;
            prewarmedUrls: string[];
            prewarmErrors: string[];
            queuedTransformationUrls: string[];
            queueErrors: string[];
            /**
             * @description The file existed already.
             * @constant
             */
            skipped?: true;
        };
        StoredFolder: {
            name: string;
            path: string;
        };
        StoredFile: {
            name: string;
            path: string;
            /** @description Bytes. */
            size: number;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            mtime: string;
            /** @enum {string} */
            type: "image" | "video" | "audio" | "model" | "document";
            /** @description Of the upright image; null if unknown. */
            width: number | null;
            height: number | null;
            /** @description Seconds. */
            duration: number | null;
            /** @description A ThumbHash in base64. */
            placeholder: string | null;
            /** @description Why the content cannot be decoded; null if it can, or is unknown. */
            problem: string | null;
            tags: string[];
            alt: string | null;
        };
        FileVersion: {
            id: string;
            /** @description Bytes. */
            size: number;
            /**
             * Format: date-time
             * @description Time at which it was replaced.
             */
            createdAt: string;
            /** @description Of the upright image; null if unknown. */
            width: number | null;
            height: number | null;
        };
        TrashItem: {
            id: string;
            /** @description Original path. */
            path: string;
            /** @enum {string} */
            kind: "image" | "video" | "audio" | "model" | "document" | "folder";
            /** @description Bytes. */
            size: number;
            /** Format: date-time */
            deletedAt: string;
            /**
             * Format: date-time
             * @description Time of its permanent deletion.
             */
            expiresAt: string;
        };
        Redirect: {
            /** @description Previous path, whose URLs keep working. */
            from: string;
            /** @description Present path of the file or folder; its previous one while it is in the trash. */
            to: string;
            /** @description True for a folder: the redirect covers everything below it. */
            isFolder: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        ListedRedirect: {
            /** @description Previous path, whose URLs keep working. */
            from: string;
            /** @description Present path of the file or folder; its previous one while it is in the trash. */
            to: string;
            /** @description True for a folder: the redirect covers everything below it. */
            isFolder: boolean;
            /** Format: date-time */
            createdAt: string;
            /** @description True while a file has the previous path of a file: it is delivered, not the target. False for folders. */
            isOverruled: boolean;
        };
        StorageStats: {
            storage: {
                /** @description Bytes. */
                size: number;
                fileCount: number;
            };
            cache: {
                /** @description Bytes. */
                size: number;
                fileCount: number;
            };
            /** Format: date-time */
            updatedAt: string;
            /** @description Only with a CDN (`CDN_PURGE_URL`). */
            purges?: {
                /** @description Purges that the CDN has not received yet. */
                waiting: number;
                /** @description Abandoned purges; the next start retries them. */
                failed: number;
                /** @description Time of the oldest pending purge. */
                oldestAt: string | null;
                lastError: string | null;
            };
        };
        Asset: {
            path: string;
            name: string;
            folder: string;
            /** @enum {string} */
            kind: "image" | "video" | "audio" | "model" | "document";
            /** @description MIME type. */
            type: string;
            /** @description Bytes. */
            size: number;
            /**
             * Format: date-time
             * @description Time of the last change.
             */
            mtime: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Changes with the bytes. */
            etag: string;
            /** @description Increases with each change of the metadata; for `If-Match`. */
            revision: number;
            title: string | null;
            alt: string | null;
            description: string | null;
            tags: string[];
            fields: {
                [key: string]: unknown;
            };
            /** @description Fractions of the upright image. */
            focal: {
                x: number;
                y: number;
            } | null;
            /** @description True if the fields below describe the current bytes; each is null if unknown. */
            described: boolean;
            /** @description Of the upright image. */
            width: number | null;
            height: number | null;
            /** @description Seconds. */
            duration: number | null;
            frames: number | null;
            hasAlpha: boolean | null;
            codec: string | null;
            /** @description Bits per second. */
            bitrate: number | null;
            /** @description In the local time of the camera if the file has no time zone. */
            takenAt: string | null;
            camera: string | null;
            /** @description True if the file contains a location. */
            hasGps: boolean | null;
            dominantColour: string | null;
            /** @description At most five, the most common first. */
            palette: string[];
            /** @description A ThumbHash in base64. */
            placeholder: string | null;
            /** @description Of the bytes. */
            sha256: string | null;
            /** @description Why the content cannot be decoded; null if it can. */
            problem: string | null;
            /** @description Cached variants; only for a single asset. */
            variants?: {
                count: number;
                /** @description Bytes. */
                size: number;
            };
        };
        Job: {
            id: string;
            filePath: string;
            /** @description In its canonical spelling; empty for `q_auto` alone. */
            transformation: string;
            /** @description URL of the result. Begins with PUBLIC_URL; with "/t/" if that is not set, with "/b/" in a space. */
            url: string;
            /** @enum {string} */
            status: "pending" | "running" | "completed" | "error" | "cancelled";
            /** @description Lower values run first. */
            priority: number;
            /** @description Percent. */
            progress: number;
            /** @description Failed attempts since it was queued or retried. */
            attempts: number;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            completedAt: string | null;
            error: string | null;
        };
        Webhook: {
            /** @description http or https, on the public internet. */
            url: string;
            /** @description Subscribed events. */
            events: ("file.stored" | "file.moved" | "file.deleted" | "redirect.created" | "redirect.deleted" | "job.completed" | "job.error")[];
            /** @description Only events in this folder; empty for all. */
            folder: string;
            enabled: boolean;
            id: string;
            /** @description Reason of an automatic disabling. */
            disabledReason: string | null;
            /** @description Time since which all attempts have failed. */
            failingSince: string | null;
            /** @description Pending deliveries. */
            waiting: number;
            /** Format: date-time */
            createdAt: string;
        };
        WebhookDelivery: {
            /** @description The header `webhook-id` of each attempt. */
            id: string;
            event: string;
            /** Format: date-time */
            createdAt: string;
            /** @enum {string} */
            status: "pending" | "delivered" | "failed";
            /** @description Null if no attempt is left or needed. */
            nextAttemptAt: string | null;
            /** @description The last sixteen, the oldest first. */
            attempts: {
                /** Format: date-time */
                at: string;
                /** @description Null without a response. */
                responseStatus: number | null;
                durationMs: number;
                /** @description Null if it was received. */
                error: string | null;
            }[];
            /** @description The body of the request. */
            payload: {
                [key: string]: unknown;
            };
        };
        Space: {
            id: string;
            name: string;
            /** @description Null inside the space. */
            folder: string | null;
            enabled: boolean;
            hosts: string[];
            /** @description Null: as the installation, here and below. */
            delivery: ("open" | "presets" | "signed") | null;
            originals: ("open" | "protected") | null;
            /** @description Nothing in them is delivered without a signature, a key or a session. At most 100; of the library as many in each space, and outside of all. */
            privateFolders: string[];
            presets: {
                [key: string]: string;
            } | null;
            types: string[] | null;
            maxFileBytes: number | null;
            cors: string[] | null;
            quota: {
                bytes: number | null;
                transferPerMonth: number | null;
            };
            rateLimit: {
                perAddress: number | null;
                total: number | null;
            };
            createdAt: string | null;
        };
        ApiKey: {
            id: string;
            name: string;
            /** @description The first characters of the key. */
            start: string;
            prefix: string | null;
            enabled: boolean;
            permissions: ("read" | "upload" | "manage" | "admin")[];
            expiresAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description To the minute; null before the first use. */
            lastUsedAt: string | null;
            /** @description Total requests left; null for no quota. */
            remaining: number | null;
            rateLimitEnabled: boolean;
            /** @description Null for no rate limit. */
            rateLimit: {
                max: number;
                windowSeconds: number;
                /** @description The same, under its former name. */
                window: number;
            } | null;
            /** @description The space to which the key is restricted; null for none. */
            space: string | null;
        };
        Member: {
            userId: string;
            name: string;
            email: string;
            /** @enum {string} */
            role: "viewer" | "contributor" | "editor" | "admin" | "owner";
            /**
             * @description `oidc` if each sign-in through the identity provider sets the role.
             * @enum {string}
             */
            source: "given" | "oidc";
            /** @description True if the account has a second factor. */
            twoFactor: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        Invitation: {
            id: string;
            /** @description The only address that may accept it; null for any. */
            email: string | null;
            /** @enum {string} */
            role: "viewer" | "contributor" | "editor" | "admin" | "owner";
            /** @description `userId`; null for an API key. */
            createdBy: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        AuditEntry: {
            /** @description Opaque. */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description Empty for the installation. */
            space: string;
            actor: {
                /** @enum {string} */
                type: "user" | "key" | "signature" | "nobody" | "system";
                id: string | null;
                /** @description Name at that time. */
                name: string | null;
            };
            /** @enum {string} */
            action: "account.changed" | "account.created" | "account.oidc_connected" | "account.password_changed" | "account.two_factor_disabled" | "account.two_factor_enabled" | "cache.cleared" | "file.changed" | "file.copied" | "file.deleted" | "file.moved" | "file.replaced" | "file.restored" | "file.trashed" | "file.uploaded" | "folder.created" | "job.cancelled" | "job.deleted" | "job.retried" | "key.created" | "key.deleted" | "key.updated" | "member.changed" | "member.invited" | "member.joined" | "member.removed" | "permission.denied" | "redirect.created" | "redirect.deleted" | "session.ended" | "session.failed" | "session.started" | "space.created" | "space.deleted" | "space.secret_rotated" | "space.updated" | "webhook.created" | "webhook.deleted" | "webhook.redelivered" | "webhook.secret_rotated" | "webhook.tested" | "webhook.updated";
            /** @description A path, an id or an address. */
            target: string | null;
            detail: {
                [key: string]: unknown;
            };
            /** @description Address of the client. */
            address: string | null;
            /** @description The `X-Request-Id` of the response. */
            requestId: string | null;
        };
        Usage: {
            /** @description Empty for the installation. */
            space: string;
            /** Format: date */
            from: string;
            /** Format: date */
            to: string;
            rows: {
                /** @description Without probes and the dashboard. */
                requests: number;
                /** @description Bytes of files in responses. */
                deliveredBytes: number;
                uploadedBytes: number;
                renders: number;
                /** @description CPU time of renders. */
                renderSeconds: number;
                /** @description Duration of transcodes. */
                transcodeSeconds: number;
                /** Format: date */
                day?: string;
                /** @description Empty for the installation. */
                space?: string;
                /** @description Id of an API key; empty for all other clients. */
                key?: string;
                /** @description Of days only: originals, versions and the trash; null if unknown. */
                storedBytes?: number | null;
            }[];
            total: {
                /** @description Without probes and the dashboard. */
                requests: number;
                /** @description Bytes of files in responses. */
                deliveredBytes: number;
                uploadedBytes: number;
                renders: number;
                /** @description CPU time of renders. */
                renderSeconds: number;
                /** @description Duration of transcodes. */
                transcodeSeconds: number;
                storedBytes: number;
            };
            quota: {
                /** @description Null for no limit. */
                bytes: number | null;
                usedBytes: number;
                /** @description Null for no limit. */
                transferPerMonth: number | null;
                /** @description Bytes delivered in this month (UTC). */
                usedTransfer: number;
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getVariant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.
                 * @example w_400,h_300,c_fit
                 */
                transformations: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The video is being processed. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "processing";
                        message: string;
                        statusUrl: string;
                    };
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getOriginal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSignedVariant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /**
                 * @description Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.
                 * @example w_400,h_300,c_fit
                 */
                transformations: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The video is being processed. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "processing";
                        message: string;
                        statusUrl: string;
                    };
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSignedOriginal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getExpiringVariant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /** @description Unix second at which the URL expires. */
                expires: number;
                /**
                 * @description Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.
                 * @example w_400,h_300,c_fit
                 */
                transformations: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The video is being processed. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "processing";
                        message: string;
                        statusUrl: string;
                    };
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getExpiringOriginal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /** @description Unix second at which the URL expires. */
                expires: number;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTransformations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Parameters of images, in the order of their effects. */
                        image: components["schemas"]["Parameter"][];
                        /** @description Parameters of videos, in the order of their effects. */
                        video: components["schemas"]["Parameter"][];
                        /** @description Parameters of an image layer: `~l_` and its path. */
                        layer: components["schemas"]["Parameter"][];
                        /** @description Parameters of a text layer: `~l_text:` and the text. */
                        text: components["schemas"]["Parameter"][];
                        /** @description Empty without the permission "read" if only signed URLs are delivered (DELIVERY_MODE=signed). */
                        presets: {
                            /** @description In a URL: n_<name>. */
                            name: string;
                            transformation: string;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    signDeliveryUrl: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    path: string;
                    /** @description Or n_<name> for a preset; the original if absent. */
                    transformation?: string;
                    /** @description Seconds; the URL does not expire if absent. */
                    expiresIn?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Begins with PUBLIC_URL; with "/authenticated/" if that is not set. */
                        url: string;
                        /** @description Unix second at which the URL expires. */
                        expires?: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    translateUrls: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whole, or from their path on. */
                    urls: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        translations: {
                            received: string;
                            /** @description URL of this service: begins with PUBLIC_URL, or with "/"; signed if only signed URLs deliver. Null with a refusal. */
                            url: string | null;
                            /** @description Path of the file; its expected path if it does not exist. */
                            file: string | null;
                            /** @description True if the file exists. */
                            found: boolean;
                            /** @description Part without a counterpart here. */
                            refusal: {
                                /** @description Part of the URL. */
                                part: string;
                                /** @description For people. */
                                reason: string;
                            } | null;
                            /** @description Ignored parts. */
                            ignored: string[];
                            /** @description Parts with a similar result. */
                            approximate: {
                                /** @description Part of the URL. */
                                part: string;
                                /** @description For people. */
                                reason: string;
                            }[];
                            /** @description File of the URL, also of a refused one. Null for other URLs than those of Cloudinary. */
                            original: {
                                /** @description URL of the file at Cloudinary. */
                                url: string;
                                /** @description Folder for the file. */
                                folder: string;
                            } | null;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    downloadFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    downloadFolder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    downloadZip: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    items?: {
                        path: string;
                        /** @enum {string} */
                        kind?: "file" | "folder";
                    }[];
                    paths?: string[];
                };
            };
        };
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    createZipTicket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    items?: {
                        path: string;
                        /** @enum {string} */
                        kind?: "file" | "folder";
                    }[];
                    paths?: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Begins with PUBLIC_URL; with "/download-zip/" if that is not set. */
                        url: string;
                        /** @description Bytes of the archive, if the files do not change. */
                        size: number;
                        /** @description Number of files. */
                        entries: number;
                        /** @description Unix second until which the download can start. */
                        expires: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    downloadZipByTicket: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ticket: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    uploadFiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    files: Blob[];
                    /** @description Folder for the files; by default the root. */
                    folder?: string;
                    /** @description Names for the files, in their order. */
                    names?: string[];
                    /**
                     * @description Handling of a name that is taken. `skip` ignores a file with the same bytes.
                     * @enum {string}
                     */
                    existing?: "rename" | "skip" | "error";
                    /** @description Transformations to render immediately. */
                    transformations?: string[];
                    /** @description Of a presigned upload. That of a space begins with its id and a dot. */
                    signature?: string;
                    /** @description Of a presigned upload: Unix seconds. */
                    expires?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadResult"];
                };
            };
            /** @description Some items succeeded, others failed. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadResult"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Problem"] | {
                        success: boolean;
                        files: components["schemas"]["UploadedFile"][];
                        errors: {
                            filename: string;
                            error: string;
                            code: components["schemas"]["ErrorCode"];
                            /** @description Of `type_mismatch`: `expected`, `received`, `extension`. */
                            details?: {
                                [key: string]: unknown;
                            };
                        }[];
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    }) | (components["schemas"]["Problem"] | {
                        success: boolean;
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    }) | components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    signUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    folder?: string;
                    expiresIn?: number;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        signature: string;
                        expires: number;
                        folder: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    uploadUrl: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description http or https, on the public internet. */
                    url: string;
                    /** @description Folder for the file; by default the root. */
                    folder?: string;
                    /** @description Default: the last segment of the URL, with the extension of the detected type. */
                    name?: string;
                    /**
                     * @description Handling of a name that is taken. `skip` ignores a file with the same bytes.
                     * @enum {string}
                     */
                    existing?: "rename" | "skip" | "error";
                    /** @description Transformations to render immediately. */
                    transformations?: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadResult"];
                };
            };
            /** @description Some items succeeded, others failed. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadResult"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Problem"] | {
                        success: boolean;
                        files: components["schemas"]["UploadedFile"][];
                        errors: {
                            filename: string;
                            error: string;
                            code: components["schemas"]["ErrorCode"];
                            /** @description Of `type_mismatch`: `expected`, `received`, `extension`. */
                            details?: {
                                [key: string]: unknown;
                            };
                        }[];
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    }) | components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    beginUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description `1.0.0`. */
                "Tus-Resumable": string;
                /** @description Bytes of the whole file. */
                "Upload-Length": string;
                /** @description Names, each with a text in Base64, and commas between them: `filename`, `filetype`, and the fields of `POST /upload` (`folder`, `names`, `existing`, `transformations`, `signature`, `expires`). */
                "Upload-Metadata": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/offset+octet-stream": Blob;
            };
        };
        responses: {
            /** @description Begun. `Location` is the URL of the upload, relative to this one. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Problem"] | {
                        success: boolean;
                        files: components["schemas"]["UploadedFile"][];
                        errors: {
                            filename: string;
                            error: string;
                            code: components["schemas"]["ErrorCode"];
                            /** @description Of `type_mismatch`: `expected`, `received`, `extension`. */
                            details?: {
                                [key: string]: unknown;
                            };
                        }[];
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    }) | (components["schemas"]["Problem"] | {
                        success: boolean;
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    }) | components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description `1.0.0`. */
                "Tus-Resumable": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadResult"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Problem"] | {
                        success: boolean;
                        files: components["schemas"]["UploadedFile"][];
                        errors: {
                            filename: string;
                            error: string;
                            code: components["schemas"]["ErrorCode"];
                            /** @description Of `type_mismatch`: `expected`, `received`, `extension`. */
                            details?: {
                                [key: string]: unknown;
                            };
                        }[];
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    }) | components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    cancelUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description `1.0.0`. */
                "Tus-Resumable": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Aborted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    resumeUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description `1.0.0`. */
                "Tus-Resumable": string;
                /** @description Received bytes. */
                "Upload-Offset": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/offset+octet-stream": Blob;
            };
        };
        responses: {
            /** @description Added. `Upload-Offset` is the number of received bytes. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Problem"] | {
                        success: boolean;
                        files: components["schemas"]["UploadedFile"][];
                        errors: {
                            filename: string;
                            error: string;
                            code: components["schemas"]["ErrorCode"];
                            /** @description Of `type_mismatch`: `expected`, `received`, `extension`. */
                            details?: {
                                [key: string]: unknown;
                            };
                        }[];
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    }) | components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listFolder: {
        parameters: {
            query?: {
                /** @description The folder; by default the root. */
                path?: string;
                /** @description Maximum number of folders and files. Default: all of one level, or 1000 with recursive. */
                limit?: number;
                /** @description The nextCursor of the previous page. */
                cursor?: string;
                /** @description kind: by format. dimensions: by pixels; files without any last. */
                sort?: "name" | "kind" | "dimensions" | "size" | "mtime" | "created";
                order?: "asc" | "desc";
                /** @description Words that must all occur in the name, or with recursive in the path below the folder; parts of words too. */
                search?: string;
                /** @description Only files of this kind; folders of one level are still listed. */
                kind?: "image" | "video" | "audio" | "model" | "document";
                /** @description All files below the folder; folders only with a search and without other conditions. */
                recursive?: boolean;
                /** @description Terms, all of which have to occur in names, titles, alts, descriptions or tags. */
                q?: string;
                /** @description Files with this tag or, with a leading "-", without it. May be repeated; all have to match. */
                tag?: string | string[];
                /** @description With true, files without a tag. */
                untagged?: boolean;
                /** @description With true, files without an alternative text. */
                withoutAlt?: boolean;
                /** @description With true, images, videos and audio that cannot be decoded. */
                undecodable?: boolean;
                /** @description Bytes. */
                minSize?: number;
                maxSize?: number;
                /** @description Pixels. */
                minWidth?: number;
                maxWidth?: number;
                minHeight?: number;
                maxHeight?: number;
                orientation?: "landscape" | "portrait" | "square";
                /** @description Seconds. */
                minDuration?: string;
                maxDuration?: string;
                /** @description Changed at this time or later. */
                modifiedAfter?: string;
                /** @description Changed earlier. */
                modifiedBefore?: string;
                /** @description Taken at this time or later. */
                takenAfter?: string;
                /** @description Taken earlier. */
                takenBefore?: string;
                /** @description Files whose dominant colour is near this one. */
                colour?: string;
                /** @description Number of entries to skip; instead of a cursor. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        path: string;
                        folders: components["schemas"]["StoredFolder"][];
                        files: components["schemas"]["StoredFile"][];
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                        /** @description Folders and files of all pages. */
                        total: number;
                        /** @description Changes when the listing may have changed; null while unknown. */
                        version: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getFileMetadata: {
        parameters: {
            query?: {
                /** @description Includes time, location and camera of an image. */
                detail?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Bytes. */
                        size: number;
                        /** Format: date-time */
                        createdAt: string;
                        /** Format: date-time */
                        updatedAt: string;
                        /** @description With `detail=true`: camera, exposure and location stored in the image; otherwise null. */
                        detail?: {
                            /** @description Time of the photo in ISO 8601, with an offset from UTC if the camera wrote one, else in its local time. */
                            taken: string | null;
                            camera: string | null;
                            lens: string | null;
                            /** @description In seconds. */
                            exposureTime: number | null;
                            fNumber: number | null;
                            iso: number | null;
                            /** @description In millimetres. */
                            focalLength: number | null;
                            copyright: string | null;
                            artist: string | null;
                            /** @description In degrees. */
                            position: {
                                latitude: number;
                                longitude: number;
                            } | null;
                            /** @description In metres above sea level. */
                            altitude: number | null;
                        } | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listVersions: {
        parameters: {
            query?: {
                /** @description Includes time, location and camera of an image. */
                detail?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        versions: components["schemas"]["FileVersion"][];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    downloadVersion: {
        parameters: {
            query?: {
                /** @description Includes time, location and camera of an image. */
                detail?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
                /** @description Id, as in the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description A part of the file. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteVersion: {
        parameters: {
            query?: {
                /** @description Deletes folders too, with everything in them. */
                recursive?: boolean;
                /** @description Moves to the trash, from which items can be restored. */
                trash?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
                /** @description Id, as in the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    moveFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A folder. */
                    destination?: string;
                    /** @description For move: keeps the previous URL working, by a redirect. */
                    redirect?: boolean;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        path: string;
                    } | {
                        success: boolean;
                        path: string;
                        /** @description Bytes. */
                        size: number;
                        /** @description ETag of the new file, without quotes. */
                        version: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    copyFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A folder. */
                    destination?: string;
                    /** @description For move: keeps the previous URL working, by a redirect. */
                    redirect?: boolean;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        path: string;
                    } | {
                        success: boolean;
                        path: string;
                        /** @description Bytes. */
                        size: number;
                        /** @description ETag of the new file, without quotes. */
                        version: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    restoreVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
                /** @description Id, as in the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A folder. */
                    destination?: string;
                    /** @description For move: keeps the previous URL working, by a redirect. */
                    redirect?: boolean;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        path: string;
                        /** @description Bytes. */
                        size: number;
                        /** @description ETag of the new file, without quotes. */
                        version: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    replaceFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": Blob;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        path: string;
                        /** @description Bytes. */
                        size: number;
                        /** @description ETag of the new file, without quotes. */
                        version: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteFile: {
        parameters: {
            query?: {
                /** @description Deletes folders too, with everything in them. */
                recursive?: boolean;
                /** @description Moves to the trash, from which items can be restored. */
                trash?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                        details: {
                            jobsDeleted: number;
                            localCacheFilesDeleted: number;
                            cloudCacheFilesDeleted: number;
                            errors: string[];
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    renameFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new name, without a slash. */
                    name: string;
                    /** @description Keeps the previous URL working, by a redirect. */
                    redirect?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        path: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listTrash: {
        parameters: {
            query?: {
                /** @description Property by which items are sorted. */
                sort?: "deleted" | "path" | "size";
                /** @description `desc`: the latest or largest first. */
                order?: "asc" | "desc";
                /** @description Number of items. */
                limit?: number;
                /** @description The nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["TrashItem"][];
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    emptyTrash: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                        itemsDeleted: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    previewTrashItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": Blob;
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    restoreFromTrash: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        path: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteFromTrash: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listRedirects: {
        parameters: {
            query?: {
                /** @description Number of redirects. */
                limit?: number;
                /** @description The nextCursor of the previous page. */
                cursor?: string;
                /** @description Only the redirect of this path. May be repeated. */
                from?: string | string[];
                /** @description Only redirects that lead to this file or folder, also by a folder above it. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redirects: components["schemas"]["ListedRedirect"][];
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    createRedirect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Previous path. No file may be there. */
                    from: string;
                    /** @description An existing file or folder, or a path with a redirect to one. */
                    to: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redirect: components["schemas"]["Redirect"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteRedirect: {
        parameters: {
            query: {
                /** @description Its previous path. */
                from: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listAllFolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        folders: string[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    summariseFolders: {
        parameters: {
            query?: {
                /** @description At most 200 folders. */
                paths?: string[];
                /** @description Describes the images and videos as listings do. */
                details?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        summaries: {
                            [key: string]: {
                                /** @description A lower bound if truncated. */
                                itemCount: number;
                                truncated: boolean;
                                previewItems: {
                                    path: string;
                                    /** @enum {string} */
                                    type: "image" | "video";
                                    /** @description Bytes. */
                                    size?: number;
                                    /**
                                     * Format: date-time
                                     * @description Time of the last change.
                                     */
                                    mtime?: string;
                                    /** @description Of the upright image; null if unknown. */
                                    width?: number | null;
                                    height?: number | null;
                                    /** @description A ThumbHash in base64. */
                                    placeholder?: string | null;
                                    /** @description Why the content cannot be decoded; null if it can, or is unknown. */
                                    problem?: string | null;
                                }[];
                            };
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    createFolder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    folder: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        folder: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | {
                        success: boolean;
                        folder: string;
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                    } | components["schemas"]["Refusal"];
                };
            };
        };
    };
    batch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    action: "move" | "copy" | "delete" | "restore" | "invalidate" | "tag" | "untag";
                    /** @description For move and copy: a folder. */
                    destination?: string;
                    /** @description For tag and untag. */
                    tags?: string[];
                    /** @description For delete: moves to the trash, from which items can be restored. */
                    trash?: boolean;
                    /** @description For move: keeps the previous URLs working, by redirects. */
                    redirect?: boolean;
                    items?: {
                        path: string;
                        /**
                         * @description Folders are deleted only with the kind `folder`.
                         * @default file
                         * @enum {string}
                         */
                        kind?: "file" | "folder";
                    }[];
                    /** @description Instead of items: everything in this folder; an empty text is the root. */
                    folder?: string;
                    /** @description With folder: only what `GET /storage` finds with this search. */
                    search?: string;
                    /** @description With folder: everything that `GET /storage` lists with recursive. */
                    recursive?: boolean;
                    /**
                     * @description With folder: only files of this kind.
                     * @enum {string}
                     */
                    kind?: "image" | "video" | "audio" | "model" | "document";
                    /** @description With folder: except these paths. */
                    except?: string[];
                    /** @description With folder: the nextCursor of the previous call. */
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description True if no item failed. */
                        success: boolean;
                        results: {
                            path: string;
                            /** @description New path of the item, or path of its copy. */
                            newPath?: string;
                            /** @description For tag and untag: the tags that the file has got or lost. Others were as requested before. */
                            changedTags?: string[];
                            /** @description Reason of the failure. */
                            error?: string;
                            code?: components["schemas"]["ErrorCode"];
                        }[];
                        /** @description Cursor for the rest of the folder; null if nothing is left. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description Some items succeeded, others failed. */
            207: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description True if no item failed. */
                        success: boolean;
                        results: {
                            path: string;
                            /** @description New path of the item, or path of its copy. */
                            newPath?: string;
                            /** @description For tag and untag: the tags that the file has got or lost. Others were as requested before. */
                            changedTags?: string[];
                            /** @description Reason of the failure. */
                            error?: string;
                            code?: components["schemas"]["ErrorCode"];
                        }[];
                        /** @description Cursor for the rest of the folder; null if nothing is left. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getStorageStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageStats"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    recalculateStorageStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageStats"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    clearCache: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                        details: {
                            localCacheFilesDeleted: number;
                            cloudCacheFilesDeleted: number;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description A folder; by default the root. */
                path?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Including everything below them. */
                        folders: {
                            /** @description Bytes. */
                            size: number;
                            fileCount: number;
                            path: string;
                        }[];
                        /** @description Everything below the folder. */
                        kinds: {
                            [key: string]: {
                                /** @description Bytes. */
                                size: number;
                                fileCount: number;
                            };
                        };
                        /** Format: date-time */
                        updatedAt: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listAssets: {
        parameters: {
            query?: {
                /** @description Terms, all of which have to occur in names, titles, alts, descriptions or tags. */
                q?: string;
                /** @description Words, all of which have to occur in the path below the folder, also as parts of words. */
                search?: string;
                /** @description Only files of this folder; an empty text is the root. */
                folder?: string;
                /** @description With folder: also those of all folders below it. */
                recursive?: boolean;
                kind?: "image" | "video" | "audio" | "model" | "document";
                /** @description Files with this tag or, with a leading "-", without it. May be repeated; all have to match. */
                tag?: string | string[];
                /** @description With true, files without a tag. */
                untagged?: boolean;
                /** @description With true, files without an alternative text. */
                withoutAlt?: boolean;
                /** @description With true, images, videos and audio that cannot be decoded. */
                undecodable?: boolean;
                /** @description Bytes. */
                minSize?: number;
                maxSize?: number;
                /** @description Pixels. */
                minWidth?: number;
                maxWidth?: number;
                minHeight?: number;
                maxHeight?: number;
                orientation?: "landscape" | "portrait" | "square";
                /** @description Seconds. */
                minDuration?: string;
                maxDuration?: string;
                /** @description Changed at this time or later. */
                modifiedAfter?: string;
                /** @description Changed earlier. */
                modifiedBefore?: string;
                /** @description Taken at this time or later. */
                takenAfter?: string;
                /** @description Taken earlier. */
                takenBefore?: string;
                /** @description Files whose dominant colour is near this one. */
                colour?: string;
                /** @description By default relevance with q, else name. */
                sort?: "relevance" | "name" | "size" | "mtime" | "taken" | "created";
                /** @description Not for relevance. */
                order?: "asc" | "desc";
                limit?: number;
                /** @description The nextCursor of the previous page. */
                cursor?: string;
                /** @description Counts by kind, tag or type, separated by commas. */
                facets?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        assets: components["schemas"]["Asset"][];
                        /** @description Number of results, counted up to 10,000. */
                        total: number;
                        isTotalExact: boolean;
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                        /** @description Counts of each requested facet: kind, tag, MIME type. */
                        facets?: {
                            kind?: {
                                [key: string]: number;
                            };
                            tag?: {
                                [key: string]: number;
                            };
                            type?: {
                                [key: string]: number;
                            };
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listDuplicates: {
        parameters: {
            query?: {
                /** @description Equal bytes, or images that look the same. */
                kind?: "exact" | "similar";
                /** @description Number of groups. */
                limit?: number;
                /** @description The nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        groups: {
                            /** @description The first hundred. */
                            assets: components["schemas"]["Asset"][];
                            /** @description Bytes of all but one of the files. */
                            wastedBytes: number;
                        }[];
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    updateAsset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    title?: string | null;
                    /** @description Text alternative of the image. */
                    alt?: string | null;
                    description?: string | null;
                    /** @description All of them. */
                    tags?: string[] | null;
                    /** @description All custom fields. */
                    fields?: {
                        [key: string]: unknown;
                    } | null;
                    /** @description Most important point of the image; null when it is not known. */
                    focal?: {
                        x: number;
                        y: number;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tags: {
                            tag: string;
                            /** @description Number of files. */
                            count: number;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A tag, percent-encoded.
                 * @example summer
                 */
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        /** @description Number of files. */
                        count: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    renameTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A tag, percent-encoded.
                 * @example summer
                 */
                tag: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The new name; the name of another tag merges the two. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        tag: string;
                        /** @description Number of files. */
                        count: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    invalidateVariants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                        details: {
                            localCacheFilesDeleted: number;
                            cloudCacheFilesDeleted: number;
                            errors?: string[];
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getQueueStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        pending: number;
                        running: number;
                        completed: number;
                        error: number;
                        cancelled: number;
                        throughput: {
                            completedLastHour: number;
                            averageDurationMs: number | null;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWorkerStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        isRunning: boolean;
                        maxConcurrent: number;
                        /** @description Running jobs of this node; in a space its own, of all nodes. */
                        processingCount: number;
                        /** @description Milliseconds. */
                        pollInterval: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description Only jobs in this state; `processing` means `running`. */
                status?: "pending" | "running" | "completed" | "error" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        jobs: components["schemas"]["Job"][];
                        limit: number;
                        offset: number;
                        /** @description Number in this response. */
                        count: number;
                        /** @description Number of all matches. */
                        total: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteJobs: {
        parameters: {
            query: {
                /** @description `processing` means `running`. */
                status: "pending" | "running" | "completed" | "error" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        count: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    retryJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    retryJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Only failed jobs can be retried.
                     * @constant
                     */
                    status: "error";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        count: number;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    streamJobEvents: {
        parameters: {
            query?: {
                /** @description Path of a file that events name to a listener without the permission "read". May be repeated, up to 50 times. */
                path?: string | string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getVideoStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "not_found" | "pending" | "running" | "completed" | "error" | "cancelled";
                        progress: number;
                        startedAt: string | null;
                        completedAt: string | null;
                        error: string | null;
                        message: string;
                        rungs?: {
                            /** @enum {string} */
                            status: "not_found" | "pending" | "running" | "completed" | "error" | "cancelled";
                            progress: number;
                            startedAt: string | null;
                            completedAt: string | null;
                            error: string | null;
                            message: string;
                            /** @enum {string} */
                            kind: "picture" | "sound";
                            height: number | null;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getVideoSize: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        size: number;
                        /** @constant */
                        status: "ready";
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSignedVideoStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /**
                 * @description Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.
                 * @example w_400,h_300,c_fit
                 */
                transformations: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "not_found" | "pending" | "running" | "completed" | "error" | "cancelled";
                        progress: number;
                        startedAt: string | null;
                        completedAt: string | null;
                        error: string | null;
                        message: string;
                        rungs?: {
                            /** @enum {string} */
                            status: "not_found" | "pending" | "running" | "completed" | "error" | "cancelled";
                            progress: number;
                            startedAt: string | null;
                            completedAt: string | null;
                            error: string | null;
                            message: string;
                            /** @enum {string} */
                            kind: "picture" | "sound";
                            height: number | null;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSignedVideoSize: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /**
                 * @description Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.
                 * @example w_400,h_300,c_fit
                 */
                transformations: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        size: number;
                        /** @constant */
                        status: "ready";
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getExpiringVideoStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /** @description Unix second at which the URL expires. */
                expires: number;
                /**
                 * @description Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.
                 * @example w_400,h_300,c_fit
                 */
                transformations: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "not_found" | "pending" | "running" | "completed" | "error" | "cancelled";
                        progress: number;
                        startedAt: string | null;
                        completedAt: string | null;
                        error: string | null;
                        message: string;
                        rungs?: {
                            /** @enum {string} */
                            status: "not_found" | "pending" | "running" | "completed" | "error" | "cancelled";
                            progress: number;
                            startedAt: string | null;
                            completedAt: string | null;
                            error: string | null;
                            message: string;
                            /** @enum {string} */
                            kind: "picture" | "sound";
                            height: number | null;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getExpiringVideoSize: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description HMAC-SHA256 in lower-case hexadecimal, all of it or its first 16 characters. */
                signature: string;
                /** @description Unix second at which the URL expires. */
                expires: number;
                /**
                 * @description Parameters joined by commas, and layers, each after a ~; or n_ and the name of a preset.
                 * @example w_400,h_300,c_fit
                 */
                transformations: string;
                /**
                 * @description Path below the storage root: each name percent-encoded by itself, with a plain "/" between them.
                 * @example trips/rome/a.jpg
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        size: number;
                        /** @constant */
                        status: "ready";
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description http or https, on the public internet. */
                    url: string;
                    /** @description Subscribed events. */
                    events: ("file.stored" | "file.moved" | "file.deleted" | "redirect.created" | "redirect.deleted" | "job.completed" | "job.error")[];
                    /** @description Only events in this folder; empty for all. */
                    folder?: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        webhook: components["schemas"]["Webhook"];
                        /** @description Signs the requests: `whsec_` and base64. Returned only in this response. */
                        secret: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description http or https, on the public internet. */
                    url?: string;
                    /** @description Subscribed events. */
                    events?: ("file.stored" | "file.moved" | "file.deleted" | "redirect.created" | "redirect.deleted" | "job.completed" | "job.error")[];
                    /** @description Only events in this folder; empty for all. */
                    folder?: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        webhook: components["schemas"]["Webhook"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        /** @description Signs the requests: `whsec_` and base64. Returned only in this response. */
                        secret: string;
                        /**
                         * Format: date-time
                         * @description Time until which the previous secret also signs.
                         */
                        previousUntil: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        delivery: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Number of deliveries. */
                limit?: number;
                /** @description The nextCursor of the previous page. */
                cursor?: string;
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    redeliverToWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        delivery: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listSpaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        spaces: components["schemas"]["Space"][];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    createSpace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @description Default: the id. */
                    folder?: string;
                    name?: string;
                    enabled?: boolean;
                    hosts?: string[];
                    delivery?: ("open" | "presets" | "signed") | null;
                    originals?: ("open" | "protected") | null;
                    privateFolders?: string[] | null;
                    presets?: {
                        [key: string]: string;
                    } | null;
                    /** @description Kinds (`image`) or MIME types. */
                    types?: ("image" | "image/jpeg" | "image/png" | "image/webp" | "image/avif" | "image/gif" | "image/heic" | "image/heif" | "image/vnd.adobe.photoshop" | "video" | "video/mp4" | "video/quicktime" | "video/webm" | "audio" | "audio/wav" | "audio/mpeg" | "audio/ogg" | "model" | "model/gltf-binary" | "model/gltf+json" | "document" | "application/pdf" | "text/plain; charset=utf-8" | "text/csv; charset=utf-8" | "application/json" | "application/zip" | "image/svg+xml" | "image/tiff")[] | null;
                    maxFileBytes?: number | null;
                    cors?: string[] | null;
                    quota?: {
                        bytes?: number | null;
                        transferPerMonth?: number | null;
                    } | null;
                    rateLimit?: {
                        perAddress?: number | null;
                        total?: number | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        space: components["schemas"]["Space"];
                        /** @description Signs URLs and uploads; returned only here. */
                        secret: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                spaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        space: components["schemas"]["Space"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteSpace: {
        parameters: {
            query?: {
                files?: "keep" | "trash";
            };
            header?: never;
            path: {
                spaceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    updateSpace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                spaceId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    enabled?: boolean;
                    hosts?: string[];
                    delivery?: ("open" | "presets" | "signed") | null;
                    originals?: ("open" | "protected") | null;
                    privateFolders?: string[] | null;
                    presets?: {
                        [key: string]: string;
                    } | null;
                    /** @description Kinds (`image`) or MIME types. */
                    types?: ("image" | "image/jpeg" | "image/png" | "image/webp" | "image/avif" | "image/gif" | "image/heic" | "image/heif" | "image/vnd.adobe.photoshop" | "video" | "video/mp4" | "video/quicktime" | "video/webm" | "audio" | "audio/wav" | "audio/mpeg" | "audio/ogg" | "model" | "model/gltf-binary" | "model/gltf+json" | "document" | "application/pdf" | "text/plain; charset=utf-8" | "text/csv; charset=utf-8" | "application/json" | "application/zip" | "image/svg+xml" | "image/tiff")[] | null;
                    maxFileBytes?: number | null;
                    cors?: string[] | null;
                    quota?: {
                        bytes?: number | null;
                        transferPerMonth?: number | null;
                    } | null;
                    rateLimit?: {
                        perAddress?: number | null;
                        total?: number | null;
                    } | null;
                    /** @description Adds to the list as it is, also if it has just changed. */
                    addPrivateFolders?: string[];
                    /** @description Removes from the list as it is. Others stay. */
                    removePrivateFolders?: string[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        space: components["schemas"]["Space"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    rotateSpaceSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                spaceId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Seconds for which the previous secret still verifies.
                     * @default 86400
                     */
                    keepFor?: number;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        secret: string;
                        /** Format: date-time */
                        previousUntil: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description Seconds: 1 to 3650 days. Default: 365 days. */
                    expiresIn?: number;
                    permissions?: ("read" | "upload" | "manage" | "admin")[];
                    /** @description Total requests left; null for no quota. */
                    remaining?: number | null;
                    /** @description Null for no rate limit. */
                    rateLimit?: {
                        /** @description Requests per window. */
                        max: number;
                        /** @description From the first request of a window. Required. */
                        windowSeconds?: number;
                        /** @description The same, under its former name. */
                        window?: number;
                    } | null;
                    /** @description The space to which the key is restricted. Keys that are created in a space belong to it. */
                    space?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        apiKey: {
                            id: string;
                            /** @description The key itself, returned only in this response. */
                            key: string;
                            name: string;
                            start: string;
                            prefix: string | null;
                            permissions: ("read" | "upload" | "manage" | "admin")[];
                            /** Format: date-time */
                            createdAt: string;
                            expiresAt: string | null;
                            /** @description Total requests left; null for no quota. */
                            remaining: number | null;
                            /** @description Null for no rate limit. */
                            rateLimit: {
                                max: number;
                                windowSeconds: number;
                                /** @description The same, under its former name. */
                                window: number;
                            } | null;
                        };
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        keys: components["schemas"]["ApiKey"][];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    enabled?: boolean;
                    /** @description Total requests left; null for no quota. */
                    remaining?: number | null;
                    /** @description Null for no rate limit. */
                    rateLimit?: {
                        /** @description Requests per window. */
                        max: number;
                        /** @description From the first request of a window. Required. */
                        windowSeconds?: number;
                        /** @description The same, under its former name. */
                        window?: number;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        key: components["schemas"]["ApiKey"];
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getAccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null for the library. */
                        space: {
                            id: string;
                            /** @description The id for callers who may not enter. */
                            name: string;
                        } | null;
                        /** @description Null without valid credentials. */
                        via: ("key" | "session") | null;
                        /** @description Null for keys, and for people without a role here. */
                        role: ("viewer" | "contributor" | "editor" | "admin" | "owner") | null;
                        permissions: ("read" | "upload" | "manage" | "admin")[];
                        /** @description True if the caller can sign URLs: it has the permission `read`, and there is a secret: `API_SECRET`, or that of the space. */
                        canSign: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        members: components["schemas"]["Member"][];
                        invitations: components["schemas"]["Invitation"][];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "viewer" | "contributor" | "editor" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        member: components["schemas"]["Member"];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "viewer" | "contributor" | "editor" | "admin" | "owner";
                    /**
                     * Format: email
                     * @description The only address that may accept it; without it, everyone with the link may.
                     */
                    email?: string;
                    /**
                     * @description Seconds: an hour to 30 days.
                     * @default 604800
                     */
                    expiresIn?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        invitation: components["schemas"]["Invitation"];
                        /** @description Page at which it is accepted; returned only in this response. */
                        url: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    describeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null for the installation. */
                        space: {
                            id: string;
                            name: string;
                        } | null;
                        /** @enum {string} */
                        role: "viewer" | "contributor" | "editor" | "admin" | "owner";
                        /** @description The only address that may accept it; null for any. */
                        email: string | null;
                        /** @description Name of the person who created it; null for an API key. */
                        invitedBy: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    /** @description Default: the address up to its `@`. */
                    name?: string;
                    /**
                     * Format: email
                     * @description Default: the invited address.
                     */
                    email?: string;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        user: {
                            id: string;
                            email: string;
                            name: string;
                            emailVerified: boolean;
                            image?: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** @description True if signing in needs a second factor. */
                            twoFactorEnabled?: boolean;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                    rememberMe?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        redirect: boolean;
                        token: string;
                        user: {
                            id: string;
                            email: string;
                            name: string;
                            emailVerified: boolean;
                            image?: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** @description True if signing in needs a second factor. */
                            twoFactorEnabled?: boolean;
                        };
                    } | {
                        /**
                         * @description A code is needed: there is no session yet.
                         * @constant
                         */
                        twoFactorRedirect: true;
                        twoFactorMethods: string[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        session: {
                            id: string;
                            userId: string;
                            /** Format: date-time */
                            expiresAt: string;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                        } & {
                            [key: string]: unknown;
                        };
                        user: {
                            id: string;
                            email: string;
                            name: string;
                            emailVerified: boolean;
                            image?: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** @description True if signing in needs a second factor. */
                            twoFactorEnabled?: boolean;
                        } & {
                            [key: string]: unknown;
                        };
                    } | null;
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSetup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description True if the account can be created now. */
                        needed: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createFirstAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    /** Format: email */
                    email: string;
                    password: string;
                    /** @default Admin */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                        message: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currentPassword: string;
                    newPassword: string;
                    /**
                     * @description Ends all other sessions.
                     * @default true
                     */
                    revokeOthers?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    /**
                     * Format: email
                     * @description Address for signing in; a change needs `currentPassword`.
                     */
                    email?: string;
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: {
                            id: string;
                            email: string;
                            name: string;
                            emailVerified: boolean;
                            image?: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** @description True if signing in needs a second factor. */
                            twoFactorEnabled?: boolean;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: {
                            id: string;
                            /** @description True for the session of this request. */
                            current: boolean;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            expiresAt: string;
                            address: string | null;
                            userAgent: string | null;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description An action, or a family: `key` means all that begin with `key.`. */
                action?: string;
                /** @description Id of a user or a key. */
                actor?: string;
                target?: string;
                /** @description Entries of this space; of the installation if empty. In the library, all by default. */
                space?: string;
                /** @description The earliest time, inclusive. */
                from?: string;
                /** @description The latest time, exclusive. */
                to?: string;
                /** @description Number of entries. */
                limit?: number;
                /** @description The nextCursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: components["schemas"]["AuditEntry"][];
                        /** @description The cursor of the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    readUsage: {
        parameters: {
            query?: {
                /** @description First day, in UTC. Default: 30 days up to the last one. */
                from?: string;
                /** @description Last day, in UTC. Default: today. */
                to?: string;
                by?: "day" | "space" | "key";
                /** @description Only of this space; in a space only its own exists. In the library, all by default. */
                space?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    enableTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description `otpauth://totp/...`, for the QR code of an authenticator app. */
                        totpURI: string;
                        /** @description 10 codes, each valid once, shown only here. */
                        backupCodes: string[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    disableTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        success: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    verifyTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Six digits of the authenticator app. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        user: {
                            id: string;
                            email: string;
                            name: string;
                            emailVerified: boolean;
                            image?: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** @description True if signing in needs a second factor. */
                            twoFactorEnabled?: boolean;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    verifyBackupCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A backup code. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        token: string;
                        user: {
                            id: string;
                            email: string;
                            name: string;
                            emailVerified: boolean;
                            image?: string | null;
                            /** Format: date-time */
                            createdAt: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** @description True if signing in needs a second factor. */
                            twoFactorEnabled?: boolean;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description True if anyone may sign in with a password. */
                        password: boolean;
                        /** @description The identity provider; null without one. */
                        oidc: {
                            name: string;
                        } | null;
                        /**
                         * @description At a host of a space, where no identity can be connected.
                         * @constant
                         */
                        atSpaceHost?: true;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signInWithOidc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Page of the dashboard to continue with: its path below `/dashboard`. */
                    to?: string;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Page of the identity provider, to be opened in the browser. */
                        url: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getOidcConnection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description True if an identity of the identity provider signs in to the account. */
                        connected: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    connectOidc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Page of the dashboard to continue with: its path below `/dashboard`. */
                    to?: string;
                } | null;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Page of the identity provider, to be opened in the browser. */
                        url: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        /** Format: date-time */
                        timestamp: string;
                        /** @constant */
                        service: "darkroom";
                        /** @description Absent while the database does not respond and, with DELIVERY_MODE=signed, without the permission "read". */
                        catalog?: {
                            /**
                             * @description While it is indexing, listings come from the storage.
                             * @enum {string}
                             */
                            state: "indexing" | "ready";
                            /** @description Number of originals indexed so far. */
                            files: number;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getDatabaseHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        /** Format: date-time */
                        timestamp: string;
                        database: {
                            connected: boolean;
                            path: string;
                            size?: string;
                            permissions?: string;
                            version?: string;
                            connections?: number;
                            tables?: {
                                user: number;
                                session: number;
                                account: number;
                                verification: number;
                                apiKey: number;
                            };
                            warning?: string;
                            security_warning?: string;
                            file_error?: string;
                            table_error?: string;
                        };
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"] | {
                        /** @constant */
                        status: "error";
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                        /** Format: date-time */
                        timestamp: string;
                        database: {
                            connected: boolean;
                            path: string;
                            size?: string;
                            permissions?: string;
                            version?: string;
                            connections?: number;
                            tables?: {
                                user: number;
                                session: number;
                                account: number;
                                verification: number;
                                apiKey: number;
                            };
                            warning?: string;
                            security_warning?: string;
                            file_error?: string;
                            table_error?: string;
                        };
                    };
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ready";
                        checks: {
                            /** @description "ok", a reason, or "unknown". */
                            database: string;
                            /** @description "ok", a reason, or "unknown". */
                            storage: string;
                            /** @description "ok", a reason, or "unknown". */
                            render: string;
                        };
                        /** @description Null if no check has run. */
                        checkedAt: string | null;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | {
                        error: string;
                        code: components["schemas"]["ErrorCode"];
                        message: string;
                        checks: {
                            /** @description "ok", a reason, or "unknown". */
                            database: string;
                            /** @description "ok", a reason, or "unknown". */
                            storage: string;
                            /** @description "ok", a reason, or "unknown". */
                            render: string;
                        };
                        /** @description Null if no check has run. */
                        checkedAt: string | null;
                    };
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        version: string;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        limits: {
                            name: string;
                            value: number;
                            unit: string;
                            /** @description The value in bytes, of limits in MB. In a space its `maxFileBytes` counts. */
                            bytes?: number;
                            /** @description Environment variable of the limit; in a space `maxFileBytes` where this rule is lower. */
                            setting: string;
                        }[];
                        /** @description Extensions of the files that can be uploaded, in lower case. */
                        extensions: string[];
                        /** @description Font families for texts. */
                        families: string[];
                        /** @description Scripts that texts show as boxes, since no font has them, with the Debian package that has one. */
                        missingScripts: {
                            script: string;
                            package: string;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        settings: {
                            /** @description Name of the environment variable. */
                            name: string;
                            /** @description Effective value; null without a value or default, and for secrets. */
                            value: string | null;
                            default: string | null;
                            isSet: boolean;
                            isSecret: boolean;
                            /** @description Its meaning, with code between backticks. */
                            description: string;
                            /** @description Section of the configuration. */
                            group: string;
                            /** @description Page that explains it, below `/api/docs/guide/`. */
                            documentation: string;
                        }[];
                        /**
                         * @description Storage of the originals.
                         * @enum {string}
                         */
                        storage: "disk" | "s3";
                        /** @enum {string} */
                        deliveryMode: "open" | "signed" | "presets";
                        /** @description True if this node has ffmpeg. */
                        ffmpeg: boolean;
                        /** @description True if face detection works. */
                        faces: boolean;
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getHistory: {
        parameters: {
            query?: {
                /** @description Length of the period in minutes, at most a day. */
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        stepSeconds: number;
                        /** @description The oldest first. */
                        samples: {
                            /**
                             * Format: date-time
                             * @description The end of the step.
                             */
                            at: string;
                            /** @description Responses in the step, like all fields up to `renders`. */
                            requests: number;
                            /** @description Cache hits. */
                            hits: number;
                            /** @description Cache misses. */
                            misses: number;
                            bytesSent: number;
                            renders: number;
                            /** @description Median of render times, to within a tenth; null without renders. */
                            renderP50Ms: number | null;
                            /** @description p95 of render times, to within a tenth; null without renders. */
                            renderP95Ms: number | null;
                            /** @description Renders that waited at the end of the step. */
                            queued: number;
                            /** @description Bytes of memory of the process at the end of the step. */
                            rss: number;
                            /** @description Waiting and running jobs of all nodes; null if the database did not respond. */
                            jobs: number | null;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
    getActivity: {
        parameters: {
            query?: {
                /** @description Number of days, at most 30. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        stepSeconds: number;
                        /** @description The oldest first. */
                        samples: {
                            /** @description Responses in the step, like all fields up to `renders`. */
                            requests: number;
                            /** @description Cache hits. */
                            hits: number;
                            /** @description Cache misses. */
                            misses: number;
                            bytesSent: number;
                            renders: number;
                            /**
                             * Format: date-time
                             * @description The beginning of the hour.
                             */
                            at: string;
                            /** @description Median of render times, to within a fifth; null without renders. */
                            renderP50Ms: number | null;
                            renderP95Ms: number | null;
                        }[];
                        /** @description Responses with an error by its code, the most frequent first. */
                        refusals: {
                            code: string;
                            status: number;
                            /** @description Meaning of the code, as Markdown. */
                            meaning: string;
                            count: number;
                        }[];
                    };
                };
            };
            /** @description An error. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"] | components["schemas"]["Refusal"];
                };
            };
        };
    };
}
