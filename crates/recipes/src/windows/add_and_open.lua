-- KEYS: the set of open buckets, a bucket. ARGV: the name of the bucket, and the users.
-- Adds the users to the bucket; if a user changes it, it becomes open and does not expire. Replies with the number of users
-- that changed it, and with the error for the first user that it did not accept, or an empty string.
local open, bucket, name = KEYS[1], KEYS[2], ARGV[1]
local is_open = redis.pcall('SISMEMBER', open, name)
if type(is_open) == 'table' then return is_open end
local changed, refused = 0, ''
for user = 2, #ARGV do
  local added = redis.pcall('PFADD', bucket, ARGV[user])
  if type(added) == 'table' then
    if user == 2 then return added end
    refused = added.err
    break
  end
  changed = changed + added
end
if changed > 0 then
  redis.call('PERSIST', bucket)
  if is_open == 0 then redis.call('SADD', open, name) end
end
return {changed, refused}
