-- KEYS: a bucket. ARGV: until when it is kept, or nothing if it is for ever; and the users.
-- Adds the users to the bucket, if it exists or is kept; if one of them changes it, it does not expire. Replies with how many
-- changed it, and with the error of the first one whom it refused, or nothing; with nil if it is not kept any more.
local bucket = KEYS[1]
local length = redis.pcall('STRLEN', bucket)
if type(length) == 'table' then return length end
if redis.call('EXISTS', bucket) == 0 and is_over(ARGV[1]) then return false end
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
if changed > 0 then redis.call('PERSIST', bucket) end
return {changed, refused}
