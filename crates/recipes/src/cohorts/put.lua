-- KEYS: any key. ARGV: a bitmap.
-- Stores the bitmap at the key, replacing any value, or deletes the key if the bitmap is empty. Replies with its length.
if ARGV[1] == '' then
  redis.call('DEL', KEYS[1])
  return 0
end
-- SET instead of DEL: while a slot migrates to another node of a cluster, a deleted key cannot be created again.
redis.call('SET', KEYS[1], '')
return redis.call('SETRANGE', KEYS[1], 0, ARGV[1])
