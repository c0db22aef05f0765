/* The library that a program is compiled for: hiredis, or with LIBVALKEY its
 * descendant libvalkey, which has the same functions under other names. */
#ifndef LIBRARY_H
#define LIBRARY_H

#ifdef LIBVALKEY
#include <valkey/valkey.h>
#include <valkey/async.h>
#define HAS_RESP3 1
#define redisContext valkeyContext
#define redisReply valkeyReply
#define redisConnect valkeyConnect
#define redisCommand valkeyCommand
#define redisAppendCommandArgv valkeyAppendCommandArgv
#define redisGetReply valkeyGetReply
#define redisSetPushCallback valkeySetPushCallback
#define redisAsyncContext valkeyAsyncContext
#define redisAsyncConnect valkeyAsyncConnect
#define redisAsyncCommand valkeyAsyncCommand
#define redisAsyncCommandArgv valkeyAsyncCommandArgv
#define redisAsyncHandleRead valkeyAsyncHandleRead
#define redisAsyncHandleWrite valkeyAsyncHandleWrite
#define redisAsyncSetDisconnectCallback valkeyAsyncSetDisconnectCallback
#define REDIS_OK VALKEY_OK
#define REDIS_ERR VALKEY_ERR
#define REDIS_REPLY_STRING VALKEY_REPLY_STRING
#define REDIS_REPLY_ARRAY VALKEY_REPLY_ARRAY
#define REDIS_REPLY_INTEGER VALKEY_REPLY_INTEGER
#define REDIS_REPLY_NIL VALKEY_REPLY_NIL
#define REDIS_REPLY_STATUS VALKEY_REPLY_STATUS
#define REDIS_REPLY_ERROR VALKEY_REPLY_ERROR
#define REDIS_REPLY_MAP VALKEY_REPLY_MAP
#define REDIS_REPLY_PUSH VALKEY_REPLY_PUSH
#else
#include <hiredis/hiredis.h>
#include <hiredis/async.h>
#define HAS_RESP3 (HIREDIS_MAJOR >= 1)
#endif

#endif
